"""Exports of a small study: what is in them, what never is, and that they are whole."""

import csv
import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_submit, session_withdraw
from batches.services.extending import session_reopen
from batches.services.starting import session_start
from scoring.coordinator import Scoring, results_bring_up
from scoring.export.manifest import Manifest
from scoring.export.rows import ROW_TYPES
from scoring.export.scripts import LIBRARY_NAME
from scoring.selectors.runs import changes_since, newest_study_results
from scoring.services.exports import ExportRefused, study_export
from screening.models import VerdictDecision
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, StudyEvent, User

pytestmark = pytest.mark.django_db
SECRET_QUESTION, SECRET_ANSWER = "What does nobody know yet?", "the unpublished answer"
FORMULA = '=HYPERLINK("http://example.org")'
PROMPTS = [
    PromptRecord(prompt_id="p1", text="Question 1?", gold_answer="42", category="QR"),
    PromptRecord(prompt_id="p2", text="Question 2?", gold_answer="43", category="LR"),
    PromptRecord(prompt_id="p3", text="Question 3?", gold_answer="44", category="LR"),
    PromptRecord(
        prompt_id="hidden", text=SECRET_QUESTION, gold_answer=SECRET_ANSWER, category="SI", split="private"
    ),
]


@pytest.fixture(scope="module")
def kept_people(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> dict[str, Participant]:
    """One of each kind, scored; the one off-task is excluded."""
    study = make_study(prompts=PROMPTS, judge_kind="checks", top_size=1, replicates_per_profile=50)
    kinds = ("diligent", "off_task", "late", "withdrawn", "running", "absent")
    people = {kind: make_person(study) for kind in kinds} | {"test": make_person(study, is_test=True)}
    work(people["late"], {"p1": "42", "p3": ""}, end="expired")
    work(people["diligent"], {"p1": "42", "p2": FORMULA, "hidden": SECRET_ANSWER})
    work(people["off_task"], {"p1": "idk"})
    work(people["withdrawn"], {"p1": "a text that was taken back"}, end="withdrawn")
    work(people["running"], {"p1": "a text that is not finished"}, end="active")
    work(people["test"], {"p1": "a text of a test run"})
    score_at(study, clock=lambda: now)
    lead = User.objects.create_superuser("lead@example.org")
    confirm = VerdictDecision.CONFIRM
    off_task = people["off_task"]
    verdict_record(participant=off_task, decision=confirm, reason="@lead: no answers.", actor=lead, now=now)
    score_at(study, clock=lambda: now)
    return people


@pytest.fixture
def people(kept_people: dict[str, Participant], db: None) -> dict[str, Participant]:
    return {kind: Participant.objects.get(pk=person.pk) for kind, person in kept_people.items()}


@pytest.fixture
def scored(people: dict[str, Participant]) -> Study:
    return people["diligent"].study


@pytest.fixture(scope="module")
def folder(
    kept_people: dict[str, Participant], tmp_path_factory: pytest.TempPathFactory, now: datetime
) -> Path:
    """The export, which tests only read."""
    target = tmp_path_factory.mktemp("exported") / "export"
    study = kept_people["diligent"].study
    study_export(study=study, target=target, replace=False, software="chiron test", now=now)
    return target


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    text = (folder / f"{table}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def cells(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def texts_of(folder: Path) -> list[Path]:
    """Every file but the library, which is the same in all exports."""
    return [path for path in folder.iterdir() if path.name != LIBRARY_NAME]


def test_nobody_is_named_anywhere_in_an_export(folder: Path, people: dict[str, Participant]) -> None:
    for path in texts_of(folder):
        content = path.read_text(encoding="utf-8")
        assert "example.org" not in content.replace(FORMULA, "").replace(
            FORMULA.replace('"', '""'), ""
        ).replace(FORMULA.replace('"', '\\"'), ""), path
        assert people["test"].code not in content


def test_private_prompts_leave_only_as_part_of_the_aggregates(folder: Path) -> None:
    for path in texts_of(folder):
        content = path.read_text(encoding="utf-8")
        assert SECRET_QUESTION not in content
        assert SECRET_ANSWER not in content
        assert '"hidden"' not in content
    manifest = Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    assert (manifest.omitted.private_prompts, manifest.omitted.answers_to_private_prompts) == (1, 5)
    # Numbers over all answers would tell of the one private prompt; no public one is of its category.
    estimates = lines(folder, "estimates")
    assert {row["scope"] for row in estimates} == {"public"}
    assert "SI" not in {row["category"] for row in estimates}


def test_a_withdrawn_or_running_session_shows_that_it_was_and_not_what_it_held(
    folder: Path, people: dict[str, Participant]
) -> None:
    for kind, state in (("withdrawn", "withdrawn"), ("running", "draft")):
        code = people[kind].code
        answers = [row for row in lines(folder, "answers") if row["participant"] == code]
        assert [row["text"] for row in answers] == [None, None, None]
        assert state in {row["state"] for row in answers}
        for table in ("scores", "criteria", "flags", "verdicts"):
            assert code not in {row["participant"] for row in lines(folder, table)}
        (session,) = [row for row in lines(folder, "sessions") if row["participant"] == code]
        assert (session["resources"], session["resources_note"]) == (None, None)


def test_answers_are_in_their_states_with_their_exact_texts(
    folder: Path, people: dict[str, Participant]
) -> None:
    found = {(row["participant"], row["prompt_id"]): row for row in lines(folder, "answers")}
    late, diligent = people["late"].code, people["diligent"].code
    assert [
        (found[late, prompt]["state"], found[late, prompt]["counts"]) for prompt in ("p1", "p2", "p3")
    ] == [
        ("drafted_at_expiry", True),
        ("not_reached", False),
        ("skipped", False),
    ]
    assert found[late, "p2"]["text"] is None
    assert found[diligent, "p2"]["text"] == FORMULA
    table = {(row["participant"], row["prompt_id"]): row for row in cells(folder, "answers")}
    assert table[diligent, "p2"]["text"] == "'" + FORMULA
    assert table[late, "p2"]["text"] == ""


def test_scores_and_criteria_are_those_that_were_stored(folder: Path, people: dict[str, Participant]) -> None:
    diligent = people["diligent"].code
    own = {
        row["prompt_id"]: row["score"] for row in lines(folder, "scores") if row["participant"] == diligent
    }
    assert own == {"p1": 1.0, "p2": 0.0}
    (criterion,) = [
        row for row in lines(folder, "criteria") if (row["participant"], row["prompt_id"]) == (diligent, "p1")
    ]
    assert (criterion["criterion"], criterion["score"], criterion["confidence"]) == (None, 1.0, 1.0)
    assert criterion["run"] == 1


def test_participants_say_who_is_excluded_and_who_is_retained(
    folder: Path, people: dict[str, Participant]
) -> None:
    found = {row["participant"]: row for row in lines(folder, "participants")}
    assert len(found) == 6
    states = {
        kind: (row["session_status"], row["excluded"], row["retained"])
        for kind, row in ((kind, found[people[kind].code]) for kind in people if kind != "test")
    }
    assert states == {
        "diligent": ("submitted", False, True),
        "off_task": ("submitted", True, False),
        "late": ("expired", False, True),
        "withdrawn": ("withdrawn", False, False),
        "running": ("active", False, False),
        "absent": (None, False, False),
    }
    assert {row["consent"] for row in found.values()} == {True}


def test_flags_and_verdicts_are_told_apart_and_reviewers_are_numbers(
    folder: Path, people: dict[str, Participant]
) -> None:
    flags = [row for row in lines(folder, "flags") if row["participant"] == people["off_task"].code]
    assert {(row["prompt_id"], row["reason"]) for row in flags} == {
        ("p1", "minimal_content"),
        ("p2", "no_answer"),
        ("p3", "no_answer"),
        (None, "few_answers"),
        (None, "mostly_off_task"),
    }
    (verdict,) = lines(folder, "verdicts")
    assert (verdict["decision"], verdict["reviewer"], verdict["reason"]) == (
        "confirm",
        1,
        "@lead: no answers.",
    )
    assert cells(folder, "verdicts")[0]["reason"] == "'@lead: no answers."


def test_events_keep_the_trail_of_the_deadline_and_no_free_text(
    scored: Study, people: dict[str, Participant], tmp_path: Path, now: datetime
) -> None:
    person = people["diligent"]
    StudyEvent.objects.create(
        study=scored,
        participant=person,
        kind="participant_rejected",
        details={"reason": "Known to me as Q.", "before": "approved", "email": "q@example.org"},
        happened_at=now,
    )
    study_export(study=scored, target=tmp_path / "out", replace=False, software="chiron test", now=now)
    events = lines(tmp_path / "out", "events")
    (rejected,) = [row for row in events if row["kind"] == "participant_rejected"]
    assert rejected["details"] == {"before": "approved"}
    session = person.session
    started = next(row for row in events if row["kind"] == "started" and row["participant"] == person.code)
    assert started["details"]["deadline_at"] == session.deadline_at.isoformat()
    expired = next(row for row in events if row["kind"] == "expired")
    assert expired["happened_at"] < expired["recorded_at"]


def test_notes_and_confidences_leave_with_their_texts_and_never_without(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], tmp_path: Path, now: datetime
) -> None:
    study = make_study(prompts=PROMPTS, note_per_prompt=True, confidence_per_prompt=True)
    codes = {}
    for end in ("submitted", "withdrawn", "active"):
        person = make_person(study)
        codes[end] = person.code
        session = session_start(participant=person, now=now)
        places = dict(session.answers.values_list("prompt__prompt_id", "position"))
        for prompt_id, note, confidence in (
            ("p1", FORMULA, 70),
            ("p2", "", None),
            ("hidden", SECRET_ANSWER, 5),
        ):
            answer_save(
                user_id=person.user_id,
                session_id=session.pk,
                position=places[prompt_id],
                incoming=IncomingText("42", 0, "tab", 1, note=note, confidence=confidence),
                now=now,
            )
        if end == "withdrawn":
            session_withdraw(participant=person, now=now)
        elif end == "submitted":
            session_submit(session=session, resources=None, now=now)
    folder = tmp_path / "notes"
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    found = {
        (row["participant"], row["prompt_id"]): (row["note"], row["confidence"])
        for row in lines(folder, "answers")
    }
    assert found == {
        (codes["submitted"], "p1"): (FORMULA, 70),
        (codes["submitted"], "p2"): ("", None),
        (codes["submitted"], "p3"): (None, None),
        **{
            (codes[end], prompt): (None, None)
            for end in ("withdrawn", "active")
            for prompt in ("p1", "p2", "p3")
        },
    }
    table = {(row["participant"], row["prompt_id"]): row["note"] for row in cells(folder, "answers")}
    assert table[codes["submitted"], "p1"] == "'" + FORMULA
    assert SECRET_ANSWER not in (folder / "answers.jsonl").read_text(encoding="utf-8")


def test_the_manifest_describes_every_file(folder: Path, scored: Study) -> None:
    manifest = Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    assert {file.name for file in manifest.files} | {"manifest.json"} == {
        path.name for path in folder.iterdir()
    }
    for file in manifest.files:
        assert file.sha256 == hashlib.sha256((folder / file.name).read_bytes()).hexdigest()
    for row_type in ROW_TYPES:
        (entry,) = [file for file in manifest.files if file.name == f"{row_type.table}.jsonl"]
        assert entry.rows == len(lines(folder, row_type.table)) == len(cells(folder, row_type.table))
        assert entry.columns == tuple(row_type.model_fields)
    assert manifest.study.protocol_hash == scored.protocol_hash
    assert manifest.study.protocol == scored.settings
    assert manifest.study.bank_digest == scored.bank_version.digest
    (run,) = manifest.runs
    assert (run.judge, run.protocol_hash) == ({"kind": "checks"}, scored.protocol_hash)
    assert run.inputs_sha256 is not None


def test_the_inputs_hash_follows_from_the_files_where_no_prompt_is_private(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    tmp_path: Path,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS[:3], batch_size=3, judge_kind="checks", top_size=1)
    work(make_person(study), {"p1": "42", "p2": "41"})
    work(make_person(study), {"p3": "44"}, end="expired")
    score(study)
    folder = tmp_path / "out"
    manifest = study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    retained = {row["participant"] for row in lines(folder, "participants") if row["retained"]}
    prompts = {row["prompt_id"]: row for row in lines(folder, "prompts")}
    scores = {(row["participant"], row["prompt_id"]): row["score"] for row in lines(folder, "scores")}
    places = [
        [
            row["participant"],
            row["prompt_id"],
            prompts[row["prompt_id"]]["task"],
            row["batch"],
            row["counts"],
            scores.get((row["participant"], row["prompt_id"])),
        ]
        for row in lines(folder, "answers")
        if row["participant"] in retained
    ]
    inputs = {
        "places": sorted(places),
        "prompts": sorted([prompt_id, row["category"]] for prompt_id, row in prompts.items()),
        "item_bank": manifest.study.item_bank_digest,
        "top_size": manifest.study.protocol["top_size"],
        "match_rules": manifest.study.protocol["match_rules"],
    }
    content = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert len(places) == 6
    assert manifest.runs[0].inputs_sha256 == hashlib.sha256(content.encode()).hexdigest()


def test_a_simulated_study_says_so_and_canaries_travel_along(
    scored: Study, tmp_path: Path, now: datetime
) -> None:
    Study.objects.update(is_simulated=True)
    version = scored.bank_version
    type(version).objects.filter(pk=version.pk).update(canaries=["canary-1"])
    fresh = Study.objects.get(pk=scored.pk)
    manifest = study_export(
        study=fresh, target=tmp_path / "out", replace=False, software="chiron test", now=now
    )
    assert manifest.study.simulated is True
    assert manifest.canaries == ("canary-1",)


def test_an_export_that_fails_half_way_leaves_nothing(scored: Study, tmp_path: Path, now: datetime) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(ExportRefused, match="exists and is not an earlier export"):
        study_export(study=scored, target=tmp_path / "out", replace=True, software="chiron test", now=now)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_an_unscored_study_can_be_exported(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    tmp_path: Path,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS, judge_kind="checks", replicates_per_profile=50)
    for end in ("submitted", "expired", "withdrawn", "active"):
        work(make_person(study), {"p1": "42", "hidden": SECRET_ANSWER}, end=end)
    study_export(study=study, target=tmp_path / "out", replace=False, software="chiron test", now=now)
    assert lines(tmp_path / "out", "scores") == []
    assert len(lines(tmp_path / "out", "answers")) == 12  # four people, three public prompts


def test_more_answers_take_no_more_queries(
    scored: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    tmp_path: Path,
    now: datetime,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    for _ in range(3):
        work(make_person(scored), {"p1": "42"})
    results_bring_up(study=scored, clock=lambda: now)
    with django_assert_max_num_queries(100):
        study_export(study=scored, target=tmp_path / "out", replace=False, software="chiron test", now=now)


def test_a_score_of_a_text_that_was_changed_after_a_reopening_leaves_with_no_export(
    scored: Study, people: dict[str, Participant], tmp_path: Path, now: datetime
) -> None:
    tomorrow, person = now + timedelta(days=1), people["diligent"]
    session = session_reopen(session=person.session, reason="Handed in by mistake", now=tomorrow)
    answer = session.answers.get(prompt__prompt_id="p1")
    changed = IncomingText(text="another number", base_revision=1, tab="two", sequence=1)
    answer_save(
        user_id=person.user_id,
        session_id=session.pk,
        position=answer.position,
        incoming=changed,
        now=tomorrow,
    )
    results = newest_study_results(scored)
    assert results is not None
    assert "1 session that goes on after its end" in changes_since(results)
    session_submit(session=session, resources=None, now=tomorrow)
    target = tmp_path / "export"
    results_bring_up(study=scored, clock=lambda: tomorrow)
    study_export(study=scored, target=target, replace=False, software="chiron test", now=tomorrow)
    for table in ("scores", "criteria"):
        own = [row["prompt_id"] for row in lines(target, table) if row["participant"] == person.code]
        assert own == ["p2"]


def test_the_trail_of_the_export_says_what_the_first_deadline_follows_from(
    folder: Path, people: dict[str, Participant]
) -> None:
    code = people["diligent"].code
    (started,) = (
        row for row in lines(folder, "events") if (row["participant"], row["kind"]) == (code, "started")
    )
    facts = started["details"]
    assert (facts["budget_minutes"], facts["extra_minutes"], facts["closes_at"]) == (300, 0, None)
