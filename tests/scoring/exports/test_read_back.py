"""Whatever people write, every reader gets the records and texts of an export back."""

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit
from batches.services.starting import session_start
from formats.cells import csv_cell
from scoring.coordinator import Scoring
from scoring.services.exports import study_export
from screening.models import VerdictDecision
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, User
from tests.support.csv_readers import READERS, WORST, read_back

pytestmark = pytest.mark.django_db
LONGEST = 20_000


@pytest.fixture(scope="module")
def folder(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    tmp_path_factory: pytest.TempPathFactory,
    now: datetime,
) -> Path:
    """The export of a study in which people wrote nothing but the worst."""
    prompts = [
        PromptRecord(
            prompt_id=f"p{n:02}", text=f"Question {n}? {text[:LONGEST]}", gold_answer="42", category="QR"
        )
        for n, text in enumerate(WORST)
    ]
    study = make_study(
        prompts=prompts,
        batch_size=len(prompts),
        note_per_prompt=True,
        judge_kind="checks",
        top_size=1,
        replicates_per_profile=9,
    )
    people = [make_person(study) for _ in range(3)]
    for person in people:
        _worked(session_start(participant=person, now=now), now)
    off_task = make_person(study)
    work(off_task, {"p00": "idk"})
    score_at(study, clock=lambda: now, measures=False)
    lead = User.objects.create_superuser("lead@example.org")
    confirm, reason = VerdictDecision.CONFIRM, "=1+1\rtwo;=b\u2028"
    verdict_record(participant=off_task, decision=confirm, reason=reason, actor=lead, now=now)
    score_at(study, clock=lambda: now)
    target = tmp_path_factory.mktemp("exported") / "export"
    study_export(study=study, target=target, replace=False, software="chiron test", now=now)
    return target


def _worked(session: Session, now: datetime) -> None:
    for answer, text in zip(session.answers.order_by("position"), WORST, strict=True):
        incoming = IncomingText(
            text=text[:LONGEST], base_revision=0, tab="one", sequence=1, note=f"{text[:99]}=\r"
        )
        answer_save(
            user_id=session.participant.user_id, session_id=session.pk, position=answer.position,
            incoming=incoming, now=now,
        )  # fmt: skip
    resources = DeclaredResources(categories=("Books",), note="+a\rb")
    session_submit(session=session, resources=resources, now=now)


def tables(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.jsonl") if path.stat().st_size)


def objects_of(folder: Path, table: str) -> list[dict[str, Any]]:
    lines = (folder / f"{table}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@pytest.mark.parametrize("reader", READERS)
def test_every_table_is_read_back_whole(folder: Path, reader: str) -> None:
    assert {"answers", "events", "measures", "prompts", "sessions", "verdicts"} <= set(tables(folder))
    for table in tables(folder):
        wanted = objects_of(folder, table)
        paths = folder / f"{table}.csv", folder / f"{table}.jsonl"
        rows = read_back(reader, "rows", *paths)
        cells = [{name: csv_cell(value) for name, value in row.items()} for row in wanted]
        assert [{name: cell or "" for name, cell in row.items()} for row in rows] == cells, table
        objects = read_back(reader, "objects", *paths)
        texts = [
            {name: value for name, value in row.items() if isinstance(value, str) and name[-3:] != "_at"}
            for row in wanted
        ]
        found = [{name: one[name] for name in row} for one, row in zip(objects, texts, strict=True)]
        assert found == texts, table


def test_the_texts_are_those_that_were_written(folder: Path) -> None:
    answers = [row for row in objects_of(folder, "answers") if row["note"]]
    assert len(answers) == 3 * len(WORST)
    written = {text[:LONGEST] for text in WORST}
    assert {row["text"] for row in answers} == written
    rows = read_back("csv", "rows", folder / "answers.csv")
    assert {row["text"].removeprefix("'") for row in rows if row["note"]} == written


def test_a_column_of_jsonl_has_one_type(folder: Path) -> None:
    for table in tables(folder):
        kinds: dict[str, set[type]] = {}
        for row in objects_of(folder, table):
            for name, value in row.items():
                kinds.setdefault(name, set()).add(type(value))
        assert not {name: found for name, found in kinds.items() if len(found - {type(None)}) > 1}, table
        assert dict not in set().union(*kinds.values())


def test_files_of_an_export_have_no_byte_order_mark(folder: Path) -> None:
    for path in folder.glob("*.csv"):
        assert not path.read_bytes().startswith(b"\xef\xbb\xbf")


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed here")
def test_r_reads_as_many_records_with_the_same_texts(folder: Path) -> None:
    script = (
        'x <- read.csv(commandArgs(TRUE)[1], colClasses = "character", na.strings = character(), '
        'check.names = FALSE, encoding = "UTF-8")\n'
        'for (text in x$text) cat(utf8ToInt(enc2utf8(text)), "\\n")\n'
    )
    command = ["Rscript", "-e", script, str(folder / "answers.csv")]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    read = ["".join(chr(int(code)) for code in line.split()) for line in said.splitlines()]
    with (folder / "answers.csv").open(newline="", encoding="utf-8") as file:
        written = [row["text"] for row in csv.DictReader(file)]
    assert read == [text.replace("\r\n", "\n").replace("\r", "\n") for text in written]
