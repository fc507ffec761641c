"""Uploads that nobody goes on with, and what killed imports and exports left: gone within the hour."""

import hashlib
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from console.services.staging import note_keep, note_kept, staged_folder, upload_stage
from console.tasks import clear_leftovers
from jobs.services.starting import job_start
from studies.bank.building import BankReading
from studies.bank.records import AttachmentRecord, BankRecord, PromptRecord
from studies.models import Bank, BankVersion, Prompt, User
from studies.services.attachment_files import attachments_store, stored_name
from studies.services.banks import bank_import, draft_remove

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_clock", "sure_clock")]
BEFORE, LONG_BEFORE = timedelta(minutes=40), timedelta(minutes=51)
ROW = b'{"id": "a", "text": "Question?", "gold_answer": "the key"}\n'


def aged(path: Path, by: timedelta) -> Path:
    then = time.time() - by.total_seconds()
    for inside in (*path.rglob("*"), path):
        os.utime(inside, (then, then))
    return path


def staged() -> str:
    token = upload_stage(name="bank.jsonl", content=ROW)
    note_keep(token, {"contents": {}})
    return token


def test_uploads_go_unless_somebody_or_a_job_goes_on_with_them(lead: User) -> None:
    left, newer, looked_at, waited_for = (staged() for _ in range(4))
    for token in (left, newer, looked_at, waited_for):
        for path in (staged_folder(token), staged_folder(token).with_suffix(".json")):
            aged(path, BEFORE if token == newer else LONG_BEFORE)
    note_kept(looked_at)
    chosen = {"slug": "s", "bank_format": "chiron", "mini": False, "partial": False}
    arguments = {"token": waited_for, **chosen}
    job_start(kind="import_bank", study=None, actor=lead, now=timezone.now(), arguments=arguments)
    clear_leftovers()
    there = {token for token in (left, newer, looked_at, waited_for) if staged_folder(token).exists()}
    assert there == {newer, looked_at, waited_for}
    assert not staged_folder(left).with_suffix(".json").exists()


def test_a_draft_of_a_killed_export_goes_and_one_that_is_written_stays() -> None:
    folder = Path(settings.DATA_DIR) / "exports" / "left-half-made"
    for name in (".draft-killed", ".draft-alive"):
        (folder / name / "content").mkdir(parents=True)
        (folder / name / "content" / "answers.csv").write_text("P-AAAAAA,an answer")
        aged(folder / name, LONG_BEFORE)
    (folder / ".draft-alive" / "content" / "answers.csv").touch()
    clear_leftovers()
    assert [path.name for path in folder.iterdir()] == [".draft-alive"]


def test_what_another_process_deletes_meanwhile_keeps_nothing_else() -> None:
    """A link to nothing: it is listed, and gone when it is looked at."""
    uploads, exports = Path(settings.DATA_DIR) / "uploads", Path(settings.DATA_DIR) / "exports" / "some"
    exports.mkdir(parents=True)
    left = [aged(staged_folder(staged()), LONG_BEFORE) for _ in range(3)]
    for folder in (uploads, exports):
        (folder / "gone").symlink_to(folder / "nothing")
    aged_draft = exports / ".draft-killed"
    aged_draft.mkdir()
    aged(aged_draft, LONG_BEFORE)
    clear_leftovers()
    assert not any(path.exists() for path in (*left, aged_draft))


def killed_import(slug: str, by: timedelta) -> None:
    """As a worker leaves it that is killed before the last slice."""
    prompts = tuple(PromptRecord(prompt_id=f"p{n}", text="Question?", gold_answer="key") for n in range(450))
    reading = BankReading(bank=BankRecord(format="chiron", prompts=prompts), problems=(), root=Path())
    bank_import(slug=slug, reading=reading, strict=True, now=timezone.now() - by)
    BankVersion.objects.filter(bank__slug=slug).update(is_published=False, number=0)


def test_what_a_killed_import_of_a_bank_stored_is_never_seen_and_goes() -> None:
    killed_import("left", LONG_BEFORE)
    killed_import("under-way", BEFORE)
    assert not BankVersion.objects.exists()
    clear_leftovers()
    assert list(Bank.objects.values_list("slug", flat=True)) == ["under-way"]
    assert Prompt.objects.count() == 450


def test_a_version_that_was_published_meanwhile_is_not_taken_for_a_draft() -> None:
    killed_import("slow", LONG_BEFORE)
    draft = BankVersion.everything.get()
    BankVersion.everything.update(is_published=True, number=1)
    draft_remove(draft)
    assert BankVersion.objects.get().prompts.count() == 450


def test_files_of_an_import_that_broke_off_go_and_those_that_questions_have_stay(tmp_path: Path) -> None:
    """Of three files of a bank one is in a version that is there, one was copied and one only begun."""
    records = []
    for name in ("kept", "copied"):
        content = b"\x89PNG\r\n\x1a\n" + name.encode()
        (tmp_path / name).write_bytes(content)
        records.append(
            AttachmentRecord(
                name=f"{name}.png", path=name, media_type="image/png", size_bytes=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
            )
        )  # fmt: skip
    prompt = PromptRecord(prompt_id="a", text="?", gold_answer="1", attachments=(records[0],))
    reading = BankReading(BankRecord(format="chiron", prompts=(prompt,)), (), tmp_path)
    bank_import(slug="there", reading=reading, strict=True, now=timezone.now())
    attachments_store(attachments=records, base_dir=tmp_path)
    kept, copied = (Path(settings.MEDIA_ROOT) / stored_name(one) for one in records)
    begun = copied.with_name("draft-killed")
    begun.write_bytes(b"half")
    for path in (kept, copied, begun):
        aged(path, LONG_BEFORE)
    attachments_store(attachments=records, base_dir=tmp_path)
    clear_leftovers()
    assert (kept.exists(), copied.exists(), begun.exists()) == (True, True, False)
    aged(copied, LONG_BEFORE)
    clear_leftovers()
    assert (kept.exists(), copied.exists()) == (True, False)
