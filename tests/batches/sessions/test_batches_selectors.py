"""What other parts read: progress, coverage, the answers that count, states."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from batches.models import Session
from batches.selectors.answers import answers_to_score, study_answers
from batches.selectors.progress import StatusCounts, study_progress
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit, session_withdraw, sessions_expire
from batches.services.plans import plan_coverage
from batches.services.starting import session_start
from studies.models import Participant, Study
from studies.services.amendments import study_amend

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


def work(participant: Participant, now: datetime, texts: list[str]) -> Session:
    """Start and save one text after the other, one a prompt."""
    session = session_start(participant=participant, now=now)
    for position, text in enumerate(texts, start=1):
        incoming = IncomingText(text, base_revision=0, tab="t", sequence=1)
        answer_save(
            user_id=participant.user_id, session_id=session.pk, position=position, incoming=incoming, now=now
        )
    return session


def submit(session: Session, now: datetime) -> None:
    session_submit(session=session, resources=DeclaredResources((), ""), now=now)


@pytest.fixture
def study(make_study: MakeStudy, make_person: MakePerson, now: datetime) -> Study:
    """One batch of four; somebody submitted, let time pass, withdrew, only tested, or is at work."""
    study = make_study(prompts=4, replicates_per_profile=9)
    submit(work(make_person(study), now, ["a", "b", " ", "d"]), now)
    work(make_person(study), now, ["e"])
    withdrawn = make_person(study)
    submit(work(withdrawn, now, ["f", "g", "h", "i"]), now)
    session_withdraw(participant=withdrawn, now=now)
    submit(work(make_person(study, is_test=True), now, ["j"]), now)
    sessions_expire(now=now + timedelta(hours=6))
    work(make_person(study, profile="stem-undergraduate"), now, ["k"])
    return study


def test_submitted_and_saved_texts_count_blank_withdrawn_test_and_running_ones_do_not(study: Study) -> None:
    assert sorted(answers_to_score(study).values_list("text", flat=True)) == ["a", "b", "d", "e"]


def test_under_the_strict_rule_only_submitted_texts_count(study: Study) -> None:
    Session.objects.update(overdue_rule="submitted_only")
    assert sorted(answers_to_score(study).values_list("text", flat=True)) == ["a", "b", "d"]


def test_an_amended_overdue_rule_holds_for_those_who_start_after_it(
    study: Study, make_person: MakePerson, now: datetime
) -> None:
    study_amend(study=study, changes={"overdue_rule": "submitted_only"}, reason="stricter", now=now)
    session = work(make_person(study), now, ["l"])
    assert session.overdue_rule == "submitted_only"
    sessions_expire(now=now + timedelta(hours=6))
    counted = answers_to_score(study).values_list("text", flat=True)
    assert sorted(counted) == ["a", "b", "d", "e", "k"]


def test_all_answers_of_a_study_come_with_their_states_in_one_query(study: Study) -> None:
    with CaptureQueriesContext(connection) as queries:
        states = [answer.state.value for answer in study_answers(study)]
        codes = {answer.session.participant.code for answer in study_answers(study)}
    assert len(queries) == 2
    assert len(codes) == 4
    assert {state: states.count(state) for state in sorted(set(states))} == {
        "answered": 3,
        "blank": 1,
        "draft": 1,
        "drafted_at_expiry": 1,
        "not_reached": 6,
        "withdrawn": 4,
    }


def test_progress_counts_sessions_by_batch_profile_and_status_without_test_people(study: Study) -> None:
    progress = study_progress(study)
    assert progress.places == 1 * 3 * 9
    (batch,) = progress.batches
    assert (batch.number, batch.prompts) == (1, 4)
    assert batch.profiles == {
        "stem-undergraduate": StatusCounts(active=1),
        "stem-phd": StatusCounts(submitted=1, expired=1, withdrawn=1),
        "non-stem-undergraduate": StatusCounts(),
    }
    assert progress.profiles == batch.profiles
    assert (progress.total.total, batch.total) == (
        4,
        StatusCounts(active=1, submitted=1, expired=1, withdrawn=1),
    )


def test_coverage_counts_the_answers_that_count_for_every_prompt(study: Study) -> None:
    coverage = study_progress(study).prompt_coverage
    assert list(coverage) == ["p001", "p002", "p003", "p004"]
    assert sorted(coverage.values()) == [0, 1, 1, 2]


def test_progress_needs_the_same_queries_for_any_size(
    make_study: MakeStudy, make_person: MakePerson, now: datetime
) -> None:
    counts = []
    for size in (4, 40):
        study = make_study(prompts=size)
        for _ in range(3):
            session_start(participant=make_person(study), now=now) if size > 4 else None
        with CaptureQueriesContext(connection) as queries:
            study_progress(study)
        counts.append(len(queries))
    assert counts == [6, 6]  # coverage is told from sums, and from the answers of sessions without


def test_the_coverage_of_a_plan_can_be_read_back(make_study: MakeStudy) -> None:
    study = make_study(prompts=10)
    assert plan_coverage(study.batch_plan).sizes == (4, 4, 2)
    assert plan_coverage(study.batch_plan).as_dict()["sizes"] == study.batch_plan.report["sizes"]
