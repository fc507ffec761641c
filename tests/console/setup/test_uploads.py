"""Uploads of the site's pages: what they take, and one clear sentence for what they do not."""

import html
import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from console.services.bank_files import calibrated_import
from console.services.staging import UploadRefused, upload_stage
from jobs.models import Job
from scoring.models import ModelConfiguration
from studies.models import Bank, BankVersion, ItemBank, JudgeProtocol
from studies.protocol.judge_defaults import EXACT_ANSWER_TEXT, RUBRIC_TEXT
from tests.console.setup.conftest import BANK
from tests.console.setup.test_walk import hidden
from tests.support.waited_for import waited_for

pytestmark = pytest.mark.django_db
GOOD = b'{"id": "a", "text": "What is 1 + 1?", "gold_answer": "2"}\n'


def named(content: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


def zip_of(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            # Of a fixed day: the tests' names are made of what they are given, in every process the same.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def sent(content: bytes, name: str, bank_format: str = "chiron") -> dict[str, object]:
    return {"bank_format": bank_format, "slug": "my-bank", "file": named(content, name)}


def test_the_lines_that_the_page_shows_can_be_read(staff: Client) -> None:
    page = staff.get(reverse("staff_bank_upload")).text
    lines = html.unescape(page.split("<pre>")[1].split("</pre>")[0])
    read = waited_for(
        staff, staff.post(reverse("staff_bank_upload"), sent(lines.encode(), "bank.jsonl"))
    ).text
    assert "What is 7 times 8?" in read
    assert "Import it" in read


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "bank.jsonl", "Choose a file with something in it."),
        (GOOD, "bank.docx", "does not end in .jsonl"),
        (zip_of(a=GOOD)[:40], "bank.zip", "The zip is damaged, incomplete or locked"),
        (b"no zip at all", "bank.zip", "The zip is damaged, incomplete or locked"),
        (zip_of(**{"../../bank.jsonl": GOOD}), "bank.zip", "a file whose name leads elsewhere"),
        (zip_of(zeros=bytes(300 * 1024 * 1024)), "bank.zip", "unpacks to more than 256 MB"),
        (GOOD, "\u202egnp.docx", "gnp.docx does not end in"),
    ],
)
def test_a_file_that_is_no_bank_is_told_in_a_sentence(
    content: bytes, name: str, sentence: str, staff: Client, tmp_path: Path
) -> None:
    page = staff.post(reverse("staff_bank_upload"), sent(content, name))
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert 'value="my-bank"' in page.content.decode()
    assert not Bank.objects.exists()
    assert not list((tmp_path / "data" / "uploads").glob("*/*.docx"))


def test_problems_are_said_in_the_language_of_the_reader_and_stored_in_english(staff: Client) -> None:
    staff.cookies["django_language"] = "de"
    asked = staff.post(reverse("staff_bank_upload"), sent(GOOD + b'{"id": "b", "text": 3}\n', "bank.jsonl"))
    german = "Zeile 2, b, text: ist eine Zahl, erwartet wird Text; setzen Sie es in Anführungszeichen"
    page = waited_for(staff, asked)
    assert german in page.text
    button = hidden(page.text)
    refused = waited_for(staff, staff.post(reverse("staff_bank_import"), button))
    assert "Es wurde nichts importiert; gefundene Probleme: 2" in refused.text
    assert f"<li>{german}</li>" in refused.text
    asked = staff.post(reverse("staff_bank_upload"), sent(GOOD + b'{"id": "b", "text": 3}\n', "bank.jsonl"))
    button = hidden(waited_for(staff, asked).text)
    waited_for(staff, staff.post(reverse("staff_bank_import"), {**button, "partial": "yes"}))
    version = BankVersion.objects.get()
    assert "line 2, b, text: is a number, but text is expected; put it in quotes" in version.problems
    assert german in staff.get(reverse("staff_bank", args=["my-bank", 1])).text
    asked = staff.post(
        reverse("staff_item_banks"), {"slug": "items", "file": named(b'{"items": 3}', "irt.json")}
    )
    refused = waited_for(staff, asked)
    assert "items: ist eine Zahl, erwartet wird ein Objekt" in refused.text


def test_problems_are_listed_by_line_and_the_rest_is_imported_only_when_asked(staff: Client) -> None:
    content = GOOD + b'{"id": "b", "text": ""}\n{"id": "c", "text": "Half of a li'
    page = waited_for(staff, staff.post(reverse("staff_bank_upload"), sent(content, "bank.jsonl"))).text
    assert "line 2" in page
    assert "line 3" in page
    assert "uploads/" not in page  # where files lie on the server is nobody's concern
    assert not BankVersion.objects.exists()
    refused = waited_for(staff, staff.post(reverse("staff_bank_import"), hidden(page)))
    assert "Nothing was imported; problems found: 3" in refused.text
    assert "line 2" in refused.text
    assert not BankVersion.objects.exists()
    again = staff.post(reverse("staff_bank_upload"), sent(content, "bank.jsonl"))
    page = waited_for(staff, again).text
    done = waited_for(staff, staff.post(reverse("staff_bank_import"), {**hidden(page), "partial": "yes"}))
    assert "my-bank v1 is imported. Questions stored: 1. Problems, left out: 3." in done.text
    version = BankVersion.objects.get()
    assert version.prompts.count() == 1
    assert len(version.problems) == 3
    assert "line 3" in staff.get(reverse("staff_bank", args=["my-bank", 1])).content.decode()
    gone = staff.post(reverse("staff_bank_import"), hidden(page), follow=True)
    assert "not there any more" in gone.content.decode()
    back = staff.get(reverse("staff_bank_read", args=[hidden(page)["token"]]), follow=True)
    assert "it was imported already" in back.text


def test_item_parameters_models_and_tables_are_whole_or_nothing(staff: Client) -> None:
    half = (BANK / "item_parameters.json").read_bytes()[:2000]
    address = reverse("staff_item_banks")
    refused = waited_for(staff, staff.post(address, {"slug": "items", "file": named(half, "items.json")}))
    assert "Nothing was stored." in refused.text
    assert "not JSON" in refused.text
    assert not ItemBank.objects.exists()
    for told in ("is stored; items: 48.", "It was there already and keeps its short name, items."):
        with (BANK / "item_parameters.json").open("rb") as file:
            assert told in waited_for(staff, staff.post(address, {"slug": "items", "file": file})).text
    bank = ItemBank.objects.get()
    lines = [{"model": "=cmd()", "prompt_id": "lr-01", "epoch": 1, "score": score} for score in (0.5, 2)]
    upload = reverse("staff_models_upload")
    chosen = {"item_bank": bank.pk, "source": "A run of our own"}
    wrong = named("\n".join(map(json.dumps, lines)).encode(), "models.jsonl")
    refused = waited_for(staff, staff.post(upload, {**chosen, "file": wrong}))
    assert "line 2" in refused.text
    assert not ModelConfiguration.objects.exists()
    again = f"{upload}?again={Job.objects.latest('created_at').pk}"
    assert f'href="{again}"' in refused.text
    assert 'value="A run of our own"' in staff.get(again).text
    right = named(json.dumps(lines[0]).encode(), "models.jsonl")
    done = waited_for(staff, staff.post(upload, {**chosen, "file": right}))
    assert "Models imported: 1 new, 0 replaced, 0 unchanged. Scores read: 1, stored: 1." in done.text
    rows = staff.get(reverse("staff_models"), {"format": "csv"}).content.decode().splitlines()
    assert rows[1].startswith("'=cmd()")
    table = staff.post(
        reverse("staff_models_table"),
        {"slug": "tasks", "source": "A paper", "file": named(b'{"models": []}', "table.json")},
    )
    refused = waited_for(staff, table)
    assert "Nothing was stored." in refused.text
    assert "tasks: is missing; add it" in refused.text


def test_a_table_of_tasks_becomes_an_item_bank_with_its_models(staff: Client) -> None:
    table = {
        "models": [f"m{n}" for n in range(6)],
        "tasks": ["one", "two"],
        "task_sizes": {"one": 10, "two": 10},
        "accuracy_percent": {"one": [10, 20, 30, 40, 50, 60], "two": [15, 22, 41, 39, 58, 71]},
    }
    sent = {"slug": "tasks", "source": "A paper", "file": named(json.dumps(table).encode(), "table.json")}
    stored = waited_for(staff, staff.post(reverse("staff_models_table"), sent)).text
    assert "The table is stored as item bank tasks." in stored
    assert f'href="{reverse("staff_models")}"' in stored
    assert ModelConfiguration.objects.filter(item_bank__slug="tasks").count() == 6
    too_few = named(json.dumps(table | {"models": ["m0"]}).encode(), "table.json")
    refused = waited_for(staff, staff.post(reverse("staff_models_table"), sent | {"file": too_few})).text
    assert "Nothing was stored." in refused
    assert "has 6 where the models are" in refused


def test_judge_texts_need_their_places(staff: Client) -> None:
    address = reverse("staff_judge_texts")
    files = {"exact": named(b"Grade it.", "a.txt"), "rubric": named(RUBRIC_TEXT.encode(), "b.txt")}
    refused = staff.post(address, {"slug": "texts", **files})
    assert refused.status_code == 422
    assert "lacks {question}" in refused.content.decode()
    files = {
        "exact": named(EXACT_ANSWER_TEXT.encode(), "a.txt"),
        "rubric": named(RUBRIC_TEXT.encode(), "b.txt"),
    }
    staff.post(address, {"slug": "texts", **files})
    assert JudgeProtocol.objects.get().slug == "texts"


def test_a_calibration_runs_in_the_background_and_ends_with_an_item_bank(
    staff: Client, now: datetime
) -> None:
    rows = ["model," + ",".join(f"q{item}" for item in range(8))]
    for model in range(12):
        scores = (f"{0.05 + 0.9 * ((model * 7 + item * 3) % 11) / 11:.3f}" for item in range(8))
        rows.append(f"m{model}," + ",".join(scores))
    matrix = "\n".join(rows).encode()
    page = staff.post(reverse("staff_calibrate"), {"slug": "made", "file": named(matrix, "matrix.csv")})
    assert page["Location"].startswith("/staff/jobs/")
    token = upload_stage(name="matrix.csv", content=matrix)
    bank, fit = calibrated_import(
        token=token, slug="made", difficulty_only=False, actor=None, now=now, progress=lambda *_: None
    )
    assert (bank.slug, bank.items.count(), len(fit.fit.theta)) == ("made", 8, 12)
    half = upload_stage(name="matrix.csv", content=b"model,q1\nm1,2.5")
    with pytest.raises(UploadRefused):
        calibrated_import(
            token=half, slug="x", difficulty_only=False, actor=None, now=now, progress=lambda *_: None
        )


def test_the_lists_of_the_site_take_few_queries(
    staff: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    for page in ("staff_banks", "staff_item_banks", "staff_models", "staff_judge_texts", "staff_study_new"):
        with django_assert_max_num_queries(10):  # type: ignore[attr-defined]  # a context
            assert staff.get(reverse(page)).status_code == 200
