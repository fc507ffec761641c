"""Nothing in the data folder is for other accounts, also where an earlier version had left it so."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings

from config.apps import data_folder_is_private
from config.private_files import exposed_paths, restrict_permissions
from reporting.services.study_reports import report_write
from scoring.export.folder import new_folder
from studies.bank.records import AttachmentRecord
from studies.services.attachment_files import attachments_store

ROOT = Path(__file__).resolve().parents[2]


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def made(path: Path, mode: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    path.chmod(mode)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder as an earlier version left it."""
    folder = tmp_path / "data"
    made(folder / "media" / "attachments" / "ab" / "plan.png", 0o644)
    made(folder / "chiron.sqlite3", 0o644)
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o755)
    return folder


def test_a_folder_of_an_earlier_version_is_closed_to_others_at_the_start(data: Path) -> None:
    restrict_permissions(data)
    assert {rights(path) for path in (data, *data.rglob("*")) if path.is_dir()} == {0o700}
    assert {rights(path) for path in data.rglob("*") if path.is_file()} == {0o600}


def test_own_rights_and_what_is_outside_stay_as_they_are(data: Path, tmp_path: Path) -> None:
    outside = made(tmp_path / "outside" / "file", 0o644)
    outside.parent.chmod(0o755)
    (data / "link").symlink_to(outside.parent)
    (data / "media" / "link").symlink_to(outside)
    script = made(data / "script", 0o755)
    restrict_permissions(data)
    assert (rights(outside), rights(outside.parent)) == (0o644, 0o755)
    assert rights(script) == 0o700


def test_a_folder_of_somebody_else_that_was_named_by_mistake_stays_as_it_is(tmp_path: Path) -> None:
    theirs = made(tmp_path / "srv" / "site" / "index.html", 0o644)
    (tmp_path / "srv").chmod(0o755)
    restrict_permissions(tmp_path / "srv")
    assert (rights(theirs), rights(tmp_path / "srv")) == (0o644, 0o755)


def test_a_folder_that_is_named_by_a_link_is_closed_like_any_other(data: Path, tmp_path: Path) -> None:
    (tmp_path / "named").symlink_to(data)
    restrict_permissions(tmp_path / "named")
    assert exposed_paths(tmp_path / "named") == exposed_paths(data) == []


def test_a_start_that_broke_off_is_finished_by_the_next(data: Path) -> None:
    data.chmod(0o700)
    (data / "media" / "attachments" / "ab").chmod(0o700)
    restrict_permissions(data)
    assert exposed_paths(data) == []


def test_a_start_does_not_look_again_into_what_is_private(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restrict_permissions(data)
    looked: list[object] = []
    walk = os.walk

    def look(path: Path, topdown: bool) -> object:
        looked.append(path)
        return walk(path, topdown=topdown)

    monkeypatch.setattr(os, "walk", look)
    restrict_permissions(data)
    assert looked == []


def test_the_check_for_deployment_names_what_others_may_read_and_the_remedy(
    data: Path, settings: Settings
) -> None:
    restrict_permissions(data)
    settings.DATA_DIR = data
    assert data_folder_is_private() == []
    plan = data / "media" / "attachments" / "ab" / "plan.png"
    plan.chmod(0o640)
    [complaint] = data_folder_is_private()
    assert str(plan) in complaint.msg
    assert complaint.hint is not None
    assert f"chmod -R go= {data}" in complaint.hint


def test_a_process_says_what_it_closed_and_writes_privately_under_any_umask(data: Path) -> None:
    run = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env={**os.environ, "CHIRON_DATA_DIR": str(data)},
        umask=0,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "other accounts had rights in the data folder" in run.stderr
    assert "chiron.W001" not in run.stderr
    assert (data / "secret_key").is_file()
    assert exposed_paths(data) == []


def test_exports_reports_and_attachments_are_private_wherever_they_are_written(
    tmp_path: Path, settings: Settings
) -> None:
    with new_folder(tmp_path / "own" / "export", replace=False) as draft:
        (draft / "answers.csv").write_text("code\n")
    report_write(target=tmp_path / "own" / "report", files={"report.html": b"<html>"}, replace=False)
    source = made(tmp_path / "plan.png", 0o644)
    digest = hashlib.sha256(b"").hexdigest()
    attachment = AttachmentRecord(
        name="plan.png", path=source.name, media_type="image/png", size_bytes=0, sha256=digest
    )
    attachments_store(attachments=[attachment], base_dir=tmp_path)
    assert len(list(Path(settings.MEDIA_ROOT).rglob("*.png"))) == 1
    assert exposed_paths(tmp_path / "own") == exposed_paths(Path(settings.MEDIA_ROOT)) == []
