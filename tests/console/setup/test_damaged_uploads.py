"""Uploads that are damaged, huge or oddly named: a sentence or a job, never an error of the program."""

import io
import json
import os
import random
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from console.jobs import import_bank
from console.services.staging import UploadRefused, note_keep, staged_folder, upload_stage
from jobs.context import JobContext
from jobs.models import Job, JobState
from jobs.services.working import jobs_work
from studies.models import Bank, ItemBank, User
from tests.console.setup.conftest import BANK
from tests.console.setup.test_uploads import GOOD, named, sent, zip_of
from tests.support.made_rows import bank_upload_read
from tests.support.waited_for import waited_for

pytestmark = pytest.mark.django_db
MANY = 100_000


def rows(number: int) -> bytes:
    return b"".join(b'{"id":"%d","text":"Add %d.","gold_answer":"2"}\n' % (one, one) for one in range(number))


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_zip_with_any_byte_changed_is_whole_or_refused_in_a_sentence(method: int) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo("bank.jsonl"), GOOD * 3, method)
    rng, refused = random.Random(1), []
    for _attempt in range(150):
        damaged = bytearray(content.getvalue())
        for _byte in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            upload_stage(name="bank.zip", content=bytes(damaged))
        except UploadRefused as refusal:
            refused.append(str(refusal))
    assert refused
    assert all("Nothing was imported" in sentence for sentence in refused)
    assert not [sentence for sentence in refused if "whoever runs the server" in sentence]


@pytest.mark.parametrize("name", ["問" * 120 + ".jsonl", "\u202eم" * 90 + ".jsonl", "a\nb.jsonl", ".jsonl"])
def test_a_file_of_any_name_is_read(name: str, staff: Client) -> None:
    read = waited_for(staff, staff.post(reverse("staff_bank_upload"), sent(GOOD, name)))
    assert "Import it" in read.text


@pytest.mark.parametrize(
    "members", [{"問" * 120 + ".jsonl": GOOD}, {"a": b"x", "a/b.jsonl": GOOD}, {"C:bank.jsonl": GOOD}]
)
def test_names_that_no_disk_takes_are_told(members: dict[str, bytes], staff: Client, tmp_path: Path) -> None:
    page = staff.post(reverse("staff_bank_upload"), sent(zip_of(**members), "bank.zip"))
    assert page.status_code == 422
    assert "The zip holds a file whose name leads elsewhere" in page.content.decode()
    assert not list((tmp_path / "data" / "uploads").iterdir())


def test_many_problems_are_told_by_kind_and_all_are_counted(staff: Client) -> None:
    many = sent(b'{"id":"1"}\n' * 4_000, "bank.jsonl")
    read = waited_for(staff, staff.post(reverse("staff_bank_upload"), many))
    page = read.text
    assert page.count("<li>line ") == 3
    assert "<li>line 1, 2 and 3,998 more, text: " in page
    assert "<li>line 2, 3 and 3,997 more, id: is already used in line 1; give each prompt its own id" in page
    assert read.context["contents"].problems_number >= 4_000


@pytest.mark.timeout(60)
def test_a_key_that_occurs_twice_among_many_is_found_at_once(staff: Client) -> None:
    items = ",".join(f'"q{number}":0' for number in range(MANY))
    content = f'{{"items":{{{items},"q7":1}}}}'.encode()
    asked = staff.post(reverse("staff_item_banks"), {"slug": "items", "file": named(content, "items.json")})
    assert "occurs twice" in waited_for(staff, asked).text


@pytest.mark.django_db(transaction=True)
def test_many_item_parameters_are_stored_by_a_worker_and_the_upload_goes_then(
    staff: Client, now: datetime
) -> None:
    known = json.loads((BANK / "item_parameters.json").read_text())
    one = next(iter(known["items"].values()))
    known["items"] = {f"q{number}": one for number in range(6_000)}
    content = json.dumps(known).encode()
    reply = staff.post(reverse("staff_item_banks"), {"slug": "items", "file": named(content, "items.json")})
    job = Job.objects.get()
    assert reply["Location"] == f"/staff/jobs/{job.pk}/"
    assert staged_folder(job.arguments["token"]).is_dir()
    assert jobs_work(clock=lambda: now) == 1
    job.refresh_from_db()
    assert (job.state, ItemBank.objects.get().items.count()) == (JobState.DONE, 6_000)
    assert not staged_folder(job.arguments["token"]).exists()


def test_an_import_whose_worker_was_killed_after_storing_begins_again_and_ends_alike(
    lead: User, now: datetime
) -> None:
    token = upload_stage(name="bank.jsonl", content=GOOD)
    arguments = {"token": token, "slug": "mine", "bank_format": "chiron", "mini": False, "partial": False}
    context = JobContext(study=None, actor=lead, clock=lambda: now)
    first, second = (import_bank(context, **arguments) for _start in range(2))
    assert first.facts == second.facts
    assert Bank.objects.get().versions.count() == 1


def test_a_second_press_of_import_says_that_it_is_done(staff: Client) -> None:
    fields = {"token": bank_upload_read()}
    waited_for(staff, staff.post(reverse("staff_bank_import"), fields))
    again = staff.post(reverse("staff_bank_import"), fields, follow=True)
    assert "it was imported already" in again.content.decode()
    assert Bank.objects.get().versions.count() == 1


def test_what_nobody_went_on_with_goes_with_the_next_upload_whatever_it_is_called() -> None:
    token = upload_stage(name="rows.jsonl", content=rows(1))
    note_keep(token, {"contents": {}})
    folder = staged_folder(token)
    (folder.parent / "not a token.txt").write_text("left by somebody")
    for path in folder.parent.iterdir():
        os.utime(path, (0, 0))
    newer = upload_stage(name="rows.jsonl", content=rows(1))
    assert list(folder.parent.iterdir()) == [staged_folder(newer)]


@pytest.mark.parametrize(
    ("bank_format", "name", "content"),
    [
        ("bbeh", "tasks.zip", zip_of(**{"a.json": b"{}", "b.json": b"[]"})),
        ("bbeh", "tasks.zip", zip_of(**{"in/a.json": b"{}", "in/b.json": b"[]"})),
        ("bbh", "tasks.jsonl", GOOD),
    ],
)
def test_what_is_wrong_with_a_folder_is_told_without_where_it_lies_on_the_server(
    bank_format: str, name: str, content: bytes, staff: Client
) -> None:
    asked = staff.post(reverse("staff_bank_upload"), sent(content, name, bank_format))
    read = waited_for(staff, asked).text
    assert "give the folder that holds" in read
    assert str(settings.DATA_DIR) not in read
