"""manage.py backup where it can go wrong without load; the rest is in tests/faults."""

from pathlib import Path

import pytest
from django.core.management import call_command


@pytest.mark.django_db(transaction=True)
def test_a_backup_of_a_site_without_files_is_restored_by_the_same_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("backup", str(tmp_path / "backup"))
    assert "and 0 files are in" in capsys.readouterr().out
    assert list((tmp_path / "backup" / "media").iterdir()) == []
