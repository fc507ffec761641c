"""One short label of a prompt wherever somebody may want to name it, and none of a private one for others."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session, SessionEvent
from batches.services.ending import session_submit
from batches.services.starting import session_start
from scoring.coordinator import Scoring
from scoring.export.rows import ROW_TYPES
from scoring.services.exports import study_export
from screening.services.screening import study_screen
from studies.bank.records import PromptRecord
from studies.models import Message, Participant, Prompt, Study

pytestmark = pytest.mark.django_db
PROMPTS = [
    PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), category="QR", split=split)
    for n, split in enumerate(("public", "public", "public", "private"), start=1)
]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", prompts=PROMPTS, judge_kind="checks", replicates_per_profile=50)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Participant:
    return make_person(study)


@pytest.fixture
def own(person: Participant) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def label(prompt_id: str) -> str:
    return Prompt.objects.get(prompt_id=prompt_id).label


def test_a_person_sees_the_labels_of_their_prompts_on_every_page_about_them(
    own: Client, person: Participant
) -> None:
    session = session_start(participant=person, now=timezone.now())
    labels = {one.label for one in Prompt.objects.all()}
    for page in ("", "prompts/1/", "submit/"):
        shown = own.get(f"/sessions/{session.pk}/{page}").content.decode()
        assert all(one in shown for one in labels), page
    for answer in session.answers.select_related("prompt"):
        shown = own.get(f"/sessions/{session.pk}/prompts/{answer.position}/").content.decode()
        heading = shown.partition("<h1")[2].partition("</h1>")[0]
        assert {one for one in labels if one in heading} == {answer.prompt.label}
    session_submit(session=session, resources=None, now=timezone.now())
    receipt = own.get(f"/sessions/{session.pk}/receipt/").content.decode()
    in_order = session.answers.order_by("position").values_list("prompt__label", flat=True)
    assert re.findall(r'"prompt-label">([^<]+)<', receipt) == list(in_order)


def test_a_message_carries_the_label_of_the_prompt_it_was_written_at(
    own: Client, staff: Client, person: Participant
) -> None:
    session = session_start(participant=person, now=timezone.now())
    prompt = session.answers.get(position=2).prompt
    page = f"/sessions/{session.pk}/prompts/2/"
    assert f"question {prompt.label}" in own.get("/studies/pilot/help/", {"page": page}).content.decode()
    own.post("/studies/pilot/help/", {"text": "The picture is cut off.", "page": page})
    assert Message.objects.get().prompt_label == prompt.label
    assert prompt.label in own.get("/studies/pilot/help/").content.decode()
    assert prompt.label in staff.get(f"/staff/studies/pilot/messages/{person.code}/").content.decode()


def test_pages_that_show_no_prompt_of_the_persons_own_name_none(
    own: Client, person: Participant, make_person: Callable[..., Participant]
) -> None:
    other = session_start(participant=make_person(person.study), now=timezone.now())
    session = session_start(participant=person, now=timezone.now())
    pages = [f"/sessions/{other.pk}/prompts/1/", f"/sessions/{session.pk}/", "/nowhere/"]
    pages.append(f"/sessions/{session.pk}/prompts/99/")
    for page in pages:
        own.post("/studies/pilot/help/", {"text": "Hello", "page": page})
    assert list(Message.objects.values_list("prompt_label", flat=True)) == [""] * len(pages)


def test_own_data_name_prompts_as_the_pages_did(
    own: Client, person: Participant, work: Callable[..., Session]
) -> None:
    work(person, {"p1": "My answer"})
    Message.objects.create(
        participant=person, is_from_team=False, author=person.user, text="?", prompt_label=label("p1"),
        sent_at=timezone.now(),
    )  # fmt: skip
    reply = own.post("/studies/pilot/my-data/")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(reply.streaming_content)))  # type: ignore[attr-defined]
    data = json.loads(archive.read("data.json"))
    assert {one["prompt"]: one["text"] for one in data["answers"]}[label("p1")] == "My answer"
    assert [one["prompt_label"] for one in data["messages"]] == [label("p1")]
    assert f" {label('p1')}\n\nMy answer\n" in archive.read("answers.txt").decode()
    assert "p1" not in archive.read("data.json").decode().replace(label("p1"), "")


def test_the_team_reads_labels_of_public_prompts_where_it_read_places(
    staff: Client, person: Participant, work: Callable[..., Session], now: datetime
) -> None:
    session = work(person, {f"p{n}": "idk" for n in range(1, 5)})
    for place in session.answers.values_list("position", flat=True):
        SessionEvent.objects.create(
            session=session, kind="late_save_refused", details={"position": place}, happened_at=now,
            recorded_at=now,
        )  # fmt: skip
    study_screen(study=person.study, now=now)
    for page in (f"participants/{person.code}/", "screening/"):
        shown = staff.get(f"/staff/studies/pilot/{page}").content.decode()
        assert all(label(f"p{n}") in shown for n in range(1, 4)), page
        # A lead finds a private question where it is decided on: its text is one press away, with an event.
        assert (label("p4") in shown) == (page == "screening/"), page


def test_every_table_of_an_export_with_prompt_ids_has_their_labels_and_none_of_a_private_prompt(
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    tmp_path: Path,
    now: datetime,
) -> None:
    for _ in range(3):
        work(make_person(study), {"p1": "1", "p2": "idk", "p4": "4"})
    score(study, clock=lambda: now)
    folder = tmp_path / "export"
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    labels = {f"p{n}": label(f"p{n}") for n in range(1, 4)} | {"": ""}
    named = {one.table for one in ROW_TYPES if "prompt_id" in one.model_fields}
    for table in named:
        with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                assert row["label"] == labels[row["prompt_id"]], table
    assert {"prompts", "answers", "scores", "criteria", "flags", "measures", "items", "audit"} <= named
    assert not any(label("p4") in path.read_text() for path in folder.iterdir() if path.suffix != ".zip")
