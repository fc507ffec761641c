"""manage.py backup where it can go wrong without load; the rest is in tests/faults."""

from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings


@pytest.mark.django_db(transaction=True)
def test_a_backup_of_a_site_without_files_is_restored_by_the_same_commands(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    call_command("backup", str(tmp_path / "backup"))
    assert "and 0 files are in" in capsys.readouterr().out
    assert list((tmp_path / "backup" / "media").iterdir()) == []
