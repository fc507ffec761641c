"""A session that the study team voids: in files and reports it is void, nobody has withdrawn."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from batches.models import Session
from batches.services.voiding import session_void
from psychometrics.recompute.counted import flow_of_answers, flow_of_people
from psychometrics.recompute.export import Export
from reporting.selectors.report_records import study_records
from reporting.views.report.sections import flow_parts
from scoring.coordinator import Scoring, results_bring_up
from scoring.models import ResultSet
from scoring.selectors.runs import changes_since, newest_study_results
from scoring.services.exports import study_export
from studies.models import Participant, Study, User
from tests.scoring.exports.small_study.exported_tables import PROMPTS, lines
from tests.support.report_parts import tables_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def voided(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Study:
    """Three people with a score, and of one of them the session is voided once results are there."""
    study = make_study(prompts=PROMPTS[:3], judge_kind="checks", top_size=1, replicates_per_profile=50)
    sessions = [work(make_person(study), {"p1": "42"}) for _ in range(3)]
    work(make_person(study), {"p1": "42"}, end="withdrawn")
    score_at(study, clock=lambda: later(now))
    lead = User.objects.create_superuser("lead@example.org")
    session_void(session=sessions[0], reason="The wrong person", now=later(now, 2), actor=lead)
    return study


def later(now: datetime, days: int = 1) -> datetime:
    return now + timedelta(days=days)


def newest(study: Study) -> ResultSet:
    found = newest_study_results(study)
    assert found is not None
    return found


def recomputed(study: Study, now: datetime) -> ResultSet:
    results_bring_up(study=study, clock=lambda: later(now, 3))
    return newest(study)


def test_voiding_changes_results_and_they_say_so(voided: Study) -> None:
    assert changes_since(newest(voided)) == ["1 session that ended or was withdrawn"]


def test_results_count_who_withdrew_and_what_was_voided_apart(voided: Study, now: datetime) -> None:
    before, after = newest(voided).flow, recomputed(voided, now).flow
    assert "voided" not in before
    assert (after["withdrawn"], after["voided"], after["retained"]) == (1, 1, 2)
    assert (after["answers"]["withdrawn"], after["answers"]["void"]) == (3, 3)


def test_an_export_calls_the_session_void_and_computes_the_same_flow(
    voided: Study, now: datetime, tmp_path: Path
) -> None:
    flow = recomputed(voided, now).flow
    folder = tmp_path / "export"
    study_export(study=voided, target=folder, replace=False, software="test", now=later(now, 3))
    statuses = sorted(row["status"] for row in lines(folder, "sessions"))
    assert statuses == ["submitted", "submitted", "void", "withdrawn"]
    assert sorted(row["session_status"] for row in lines(folder, "participants")) == statuses
    voided_answers = [row for row in lines(folder, "answers") if row["state"] == "void"]
    assert [row["text"] for row in voided_answers] == [None] * 3
    export = Export(folder, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))
    assert flow_of_people(export).items() <= flow.items()
    assert flow_of_answers(export, retained_only=False) == flow["answers"]


def test_the_report_says_that_the_team_voided_a_session(voided: Study, now: datetime) -> None:
    recomputed(voided, now)
    people = tables_of(flow_parts(study_records(voided)))[0]
    assert ["Session voided by the study team", "1"] in [list(row) for row in people.rows]
    assert ["Withdrew", "1"] in [list(row) for row in people.rows]
