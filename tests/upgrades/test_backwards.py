"""Migrations that moved models go back app by app, and forward again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEPS = [[], ["scoring", "0005"], ["judging", "zero"], ["screening", "zero"], ["reporting", "zero"], []]
# One process for all steps: what it knows of content types is forgotten between them.
MIGRATE = """
import django
django.setup()
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
for step in {steps}:
    ContentType.objects.clear_cache()
    print(step, flush=True)
    call_command("migrate", *step, verbosity=0)
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_database_goes_back_app_by_app_and_forward_again(tmp_path: Path) -> None:
    own = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'moved.sqlite3'}",
        "CHIRON_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", MIGRATE.format(steps=STEPS)],
        cwd=ROOT,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
