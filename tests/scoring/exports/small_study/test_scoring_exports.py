"""The tables of a small study's export: what is in them, and what never is."""

from datetime import datetime
from pathlib import Path

import pytest

from scoring.export.manifest import Manifest
from scoring.export.scripts import LIBRARY_NAME
from scoring.services.exports import study_export
from studies.models import Participant, Study, StudyEvent
from tests.scoring.exports.small_study.exported_tables import (
    FORMULA,
    SECRET_ANSWER,
    SECRET_QUESTION,
    cells,
    lines,
)

pytestmark = pytest.mark.django_db


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
    assert (verdict["decision"], verdict["reviewer"]) == ("confirm", 1)
    assert (verdict["reason_code"], verdict["reason"]) == ("empty", "@lead: no answers.")
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


def test_the_trail_of_the_export_says_what_the_first_deadline_follows_from(
    folder: Path, people: dict[str, Participant]
) -> None:
    code = people["diligent"].code
    (started,) = (
        row for row in lines(folder, "events") if (row["participant"], row["kind"]) == (code, "started")
    )
    facts = started["details"]
    assert (facts["budget_minutes"], facts["extra_minutes"], facts["closes_at"]) == (300, 0, None)
