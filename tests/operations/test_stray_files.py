"""A file that a crash left between the disk and the database belongs to nobody, and goes."""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django import Settings

from operations.services.erasure import withdrawn_erase
from studies.models import Participant, Study
from studies.services.people.credentials import FOLDER, CheckedFile, credential_add, file_kept

pytestmark = pytest.mark.django_db
FILE = CheckedFile("degree.pdf", "application/pdf", b"%PDF-1.4")


def test_a_file_without_a_row_is_deleted_after_a_day(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> None:
    person = make_person(make_study())
    with file_kept(FILE) as kept:
        credential_add(participant=person, file=FILE, token=kept, now=now)
    folder = Path(settings.MEDIA_ROOT) / FOLDER
    stray, fresh = folder / "stray", folder / "fresh"
    for path in (stray, fresh):
        path.write_bytes(FILE.content)
    for path in (stray, folder / str(kept)):
        os.utime(path, times=(0, (now - timedelta(hours=25)).timestamp()))
    os.utime(fresh, times=(0, (now - timedelta(hours=23)).timestamp()))
    withdrawn_erase(now=now)
    assert {path.name for path in folder.iterdir()} == {str(kept), "fresh"}


def test_a_file_of_mails_is_deleted_after_a_week(settings: Settings, tmp_path: Path, now: datetime) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "mail").mkdir()
    for name, days in (("old.log", 7.1), ("new.log", 6.9)):
        file = tmp_path / "mail" / name
        file.write_text("To: ada@example.org")
        os.utime(file, times=(0, (now - timedelta(days=days)).timestamp()))
    withdrawn_erase(now=now)
    assert [file.name for file in (tmp_path / "mail").iterdir()] == ["new.log"]


def test_a_site_without_any_file_is_fine(now: datetime) -> None:
    assert withdrawn_erase(now=now) == 0
