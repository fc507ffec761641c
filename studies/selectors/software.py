"""What is running: for the provenance of exports and reports."""

import tomllib
from pathlib import Path

from django.conf import settings


def software() -> str:
    """Name and version of this project."""
    project = tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return f"{project['name']} {project['version']}"
