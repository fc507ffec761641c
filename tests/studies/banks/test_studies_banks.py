"""Importing banks."""

import hashlib
import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection
from django.db.models import Value
from django.db.models.functions import Concat
from pytest_django import DjangoAssertNumQueries

from formats.item_parameters import read_item_parameters
from formats.problems import Problem
from studies.bank.reading import read_bank
from studies.bank.records import AttachmentRecord, ContainsCheck, CriterionRecord
from studies.models import Attachment, Bank, BankVersion, Criterion, Prompt, Study
from studies.selectors.banks import (
    bank_version,
    item_ids_without_prompts,
    prompt_ids_without_parameters,
    studies_on_other_versions,
)
from studies.services.attachment_files import AttachmentChanged, AttachmentUnreadable
from studies.services.banks import (
    BankImport,
    NothingToImport,
    StrictImportRefused,
    bank_import,
    item_bank_import,
)
from studies.services.slugs import SlugInvalid
from tests.support.bank_readings import prompt, reading_of

pytestmark = pytest.mark.django_db
PROBLEM = Problem(line=2, prompt_id="bad", field="text", message="is blank; write something")
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def picture(folder: Path, name: str = "a.png", content: bytes = PNG) -> AttachmentRecord:
    (folder / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return AttachmentRecord(
        name=name, path=name, media_type="image/png", size_bytes=len(content), sha256=digest
    )


def test_a_bank_is_stored_with_everything_it_says(now: datetime, tmp_path: Path) -> None:
    criterion = CriterionRecord(text="Says this", check=ContainsCheck(any_of=("this",)))
    record = prompt(
        category="QR",
        subcategory="QR-1",
        task="t",
        labels=("hard",),
        split="private",
        criteria=(criterion, CriterionRecord(text="Is polite")),
        attachments=(picture(tmp_path),),
        solution="because",
        citations="a book",
        text_format="markdown",
    )
    result = bank_import(slug="small", reading=reading_of(record, root=tmp_path), strict=True, now=now)

    assert result.created
    assert str(result.version) == "small v1"
    assert (result.version.canaries, result.version.imported_at) == (["canary-1"], now)
    stored = Prompt.objects.get(version=result.version)
    assert (stored.prompt_id, stored.text, stored.text_format, stored.gold_answer) == (
        "one",
        "Which?",
        "markdown",
        "this",
    )
    assert (
        stored.category,
        stored.subcategory,
        stored.task,
        stored.labels,
        stored.split,
        stored.modality,
    ) == (
        "QR",
        "QR-1",
        "t",
        ["hard"],
        "private",
        "image",
    )
    assert (stored.solution, stored.citations) == ("because", "a book")
    assert list(stored.criteria.values_list("position", "text", "check_rule")) == [
        (1, "Says this", {"kind": "contains", "any_of": ["this"], "ignore_case": True}),
        (2, "Is polite", None),
    ]
    attachment = stored.attachments.get()
    assert (attachment.name, attachment.media_type, attachment.size_bytes) == ("a.png", "image/png", len(PNG))
    with default_storage.open(attachment.file.name) as file:
        assert file.read() == PNG


def test_the_same_content_again_changes_nothing(now: datetime) -> None:
    first = bank_import(slug="small", reading=reading_of(prompt()), strict=False, now=now)
    again = bank_import(slug="small", reading=reading_of(prompt()), strict=False, now=now + timedelta(days=1))
    assert (again.version, again.created) == (first.version, False)
    assert (BankVersion.objects.count(), Prompt.objects.count()) == (1, 1)


def test_other_content_is_the_next_version_and_leaves_the_first_alone(now: datetime) -> None:
    first = bank_import(slug="small", reading=reading_of(prompt()), strict=False, now=now)
    second = bank_import(slug="small", reading=reading_of(prompt(text="Who?")), strict=False, now=now)
    assert (second.version.number, second.created) == (2, True)
    assert [row.text for row in first.version.prompts.all()] == ["Which?"]
    assert bank_version("small") == second.version
    assert bank_version("small", 1) == first.version
    assert bank_version("small", 3) is None


def test_the_same_content_may_stand_in_two_banks(now: datetime) -> None:
    for slug in ("one", "two"):
        assert bank_import(slug=slug, reading=reading_of(prompt()), strict=False, now=now).created
    assert Bank.objects.count() == 2


def test_the_valid_rest_is_imported_and_the_problems_are_kept(now: datetime) -> None:
    reading = reading_of(prompt(), problems=(PROBLEM,))
    result = bank_import(slug="small", reading=reading, strict=False, now=now)
    assert result.problems == (PROBLEM,)
    assert result.version.problems == ["line 2, bad, text: is blank; write something"]
    assert result.version.prompts.count() == 1


def test_strictness_imports_nothing_where_there_is_a_problem(now: datetime) -> None:
    reading = reading_of(prompt(), problems=(PROBLEM,))
    with pytest.raises(StrictImportRefused) as refusal:
        bank_import(slug="small", reading=reading, strict=True, now=now)
    assert str(refusal.value) == (
        "Nothing was imported; problems found: 1\nline 2, bad, text: is blank; write something"
    )
    assert not Bank.objects.exists()


def test_a_bank_without_a_usable_prompt_is_refused(now: datetime) -> None:
    with pytest.raises(NothingToImport, match="no usable prompt"):
        bank_import(slug="small", reading=reading_of(problems=(PROBLEM,)), strict=False, now=now)
    assert not Bank.objects.exists()


@pytest.mark.parametrize("slug", ["", "Upper", "two words", "a--b", "-a", "a" * 51, "ä", "a/b"])
def test_a_short_name_that_is_no_address_is_refused(now: datetime, slug: str) -> None:
    with pytest.raises(SlugInvalid, match="lower-case letters, digits and single hyphens"):
        bank_import(slug=slug, reading=reading_of(prompt()), strict=False, now=now)


def test_equal_files_are_stored_once_under_distinct_tokens(now: datetime, tmp_path: Path) -> None:
    reading = reading_of(
        prompt("one", attachments=(picture(tmp_path, "a.png"),)),
        prompt("two", attachments=(picture(tmp_path, "b.png"),)),
        root=tmp_path,
    )
    bank_import(slug="small", reading=reading, strict=True, now=now)
    first, second = Attachment.objects.order_by("name")
    assert first.file.name == second.file.name
    assert first.token != second.token
    assert [path.name for path in Path(settings.MEDIA_ROOT).rglob("*.png")] == [Path(first.file.name).name]


def test_a_file_that_changed_since_it_was_read_leaves_nothing_behind(now: datetime, tmp_path: Path) -> None:
    reading = reading_of(prompt(attachments=(picture(tmp_path),)), root=tmp_path)
    (tmp_path / "a.png").write_bytes(PNG + b"more")
    with pytest.raises(AttachmentChanged, match=r"a\.png: changed while the bank was being imported"):
        bank_import(slug="small", reading=reading, strict=True, now=now)
    assert not Bank.objects.exists()
    assert not [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_a_file_that_vanished_since_it_was_read_is_named(now: datetime, tmp_path: Path) -> None:
    reading = reading_of(prompt(attachments=(picture(tmp_path),)), root=tmp_path)
    (tmp_path / "a.png").unlink()
    with pytest.raises(AttachmentUnreadable, match=r"a\.png: cannot be copied .*No such file"):
        bank_import(slug="small", reading=reading, strict=True, now=now)
    assert not Bank.objects.exists()


def test_a_media_folder_that_cannot_be_written_to_is_said(now: datetime, tmp_path: Path) -> None:
    reading = reading_of(prompt(attachments=(picture(tmp_path),)), root=tmp_path)
    Path(settings.MEDIA_ROOT).touch()
    with pytest.raises(AttachmentUnreadable, match=r"a\.png: cannot be copied .*\(Not a directory\)"):
        bank_import(slug="small", reading=reading, strict=True, now=now)
    assert not Bank.objects.exists()


def test_an_import_while_a_study_runs_leaves_the_study_on_its_version(
    now: datetime, make_study: Callable[..., Study]
) -> None:
    study = make_study(slug="running")
    result = bank_import(slug="bank-running", reading=reading_of(prompt()), strict=True, now=now)
    assert result.version.number == 2
    study.refresh_from_db()
    assert study.bank_version.number == 1
    assert list(studies_on_other_versions(result.version)) == [study]
    assert list(studies_on_other_versions(study.bank_version)) == []


def test_the_number_of_queries_does_not_grow_with_the_bank(
    now: datetime, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    criteria = tuple(CriterionRecord(text=f"c{n}") for n in range(5))
    prompts = [prompt(f"p{n}", criteria=criteria) for n in range(820)]
    with django_assert_max_num_queries(90):  # SQLite takes few rows an insert
        bank_import(slug="large", reading=reading_of(*prompts), strict=True, now=now)
    assert (Prompt.objects.count(), Criterion.objects.count()) == (820, 4100)


@pytest.mark.django_db(transaction=True)
def test_the_same_bank_imported_from_two_sides_at_once_is_one_version(now: datetime) -> None:
    def run(_: int) -> BankImport:
        try:
            return bank_import(slug="small", reading=reading_of(prompt()), strict=True, now=now)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(run, range(8)))
    assert sum(result.created for result in results) == 1
    assert len({result.version.pk for result in results}) == 1
    assert Prompt.objects.count() == 1


def test_two_versions_of_a_bank_cannot_hold_the_same_content(now: datetime) -> None:
    version = bank_import(slug="small", reading=reading_of(prompt()), strict=False, now=now).version
    version.pk, version.number = None, 2
    with pytest.raises(IntegrityError):
        version.save(force_insert=True)


def test_the_published_questions_and_their_parameters_are_imported(now: datetime, shared_data: Path) -> None:
    reading = read_bank("gim", shared_data / "gim" / "appendix_c.jsonl")
    result = bank_import(slug="gim", reading=reading, strict=False, now=now)
    assert result.version.prompts.count() == 10
    assert [problem.prompt_id for problem in result.problems] == ["p35802646"]
    parameters = read_item_parameters(shared_data / "gim" / "irt_params.json")
    bank, created = item_bank_import(slug="gim", parameters=parameters, now=now)
    assert created
    assert bank.items.count() == 615
    assert len(item_ids_without_prompts(result.version, bank)) == 605
    assert prompt_ids_without_parameters(result.version, bank) == []


def labels_of(imported: BankImport) -> dict[str, str]:
    return dict(imported.version.prompts.values_list("prompt_id", "label"))


def test_a_prompt_keeps_its_label_in_later_versions_of_its_bank(now: datetime) -> None:
    one, two, three = (prompt(name) for name in ("one", "two", "three"))
    first = bank_import(slug="pilot", reading=reading_of(one, two), strict=True, now=now)
    again = bank_import(slug="pilot", reading=reading_of(two, one), strict=True, now=now)
    corrected = reading_of(three, prompt("two", text="Which one?"))
    second = bank_import(slug="pilot", reading=corrected, strict=True, now=now)
    assert again.version == first.version
    assert labels_of(second)["two"] == labels_of(first)["two"]
    assert labels_of(second)["three"] not in labels_of(first).values()
    copy = bank_import(slug="copy", reading=reading_of(one, two), strict=True, now=now)
    assert labels_of(copy) == labels_of(first)


def test_prompts_from_before_there_were_labels_get_those_of_an_import(now: datetime) -> None:
    many = [prompt(f"p{number}") for number in range(300)]
    first = bank_import(slug="pilot", reading=reading_of(*many[:200]), strict=True, now=now)
    second = bank_import(slug="pilot", reading=reading_of(*many[100:]), strict=True, now=now)
    imported = labels_of(first), labels_of(second)
    Prompt.objects.update(label=Concat(Value("old "), "prompt_id"))
    importlib.import_module("studies.migrations.0007_labels_of_prompts_and_audiences").fill(apps, None)
    assert (labels_of(first), labels_of(second)) == imported
