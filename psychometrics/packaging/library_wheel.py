"""Builds the wheel of this library, as PEP 517 asks for; needs the standard library only, and no network.

A wheel is a zip of the modules with a description, its tags and a list of all files with their hashes
(PEP 427). This one holds two packages: `psychometrics`, and what it needs of `formats`, its neighbour in the
repository. Equal sources give equal bytes.
"""

import base64
import hashlib
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LIBRARY = Path(__file__).resolve().parents[1]
FORMATS = LIBRARY.parent / "formats"
NOT_THE_LIBRARY = ("packaging", "examples")
NEEDS_MORE = ("texts.py", "parquet_files.py")  # of formats: these import pydantic and pyarrow
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip holds
TAGS = "Wheel-Version: 1.0\nGenerator: library_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Write the wheel into a folder; its file name. Raises FileNotFoundError without the neighbour."""
    project = tomllib.loads((LIBRARY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    if not FORMATS.is_dir():
        raise FileNotFoundError(f"{FORMATS} is missing; build from the folder in the repository")
    files: dict[str, bytes] = {}
    for root, left_out in ((LIBRARY, NOT_THE_LIBRARY), (FORMATS, NEEDS_MORE)):
        for path in sorted([*root.rglob("*.py"), *root.rglob("py.typed")]):
            within = path.relative_to(root)
            if within.parts[0] not in left_out:
                files[f"{root.name}/{within.as_posix()}"] = path.read_bytes()
    files[f"{name}.dist-info/METADATA"] = metadata_of(project).encode()
    files[f"{name}.dist-info/WHEEL"] = TAGS.encode()
    record = f"{name}.dist-info/RECORD"
    files[record] = record_of(files, record).encode()
    with zipfile.ZipFile(Path(wheel_directory, f"{name}-py3-none-any.whl"), "w") as wheel:
        for place, content in files.items():
            entry = zipfile.ZipInfo(place, EPOCH)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return f"{name}-py3-none-any.whl"


def build_sdist(sdist_directory: str, config_settings: Mapping[str, Any] | None = None) -> str:
    """There is none: the repository is the source."""
    raise NotImplementedError("build the wheel from the repository: pip wheel ./psychometrics --no-deps")


def metadata_of(project: Mapping[str, Any]) -> str:
    """The description (core metadata 2.1), with the README as its text."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {dependency}" for dependency in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    readme = (LIBRARY / project["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "", readme])


def record_of(files: Mapping[str, bytes], record: str) -> str:
    """One line a file: path, sha256, size; the list itself has neither."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{record},,"]) + "\n"
