"""The off-task filter over stored sessions, and what reviewers decide."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Session
from screening.models import AnswerFlag, ParticipantFlag, Verdict, VerdictDecision
from screening.selectors.cases import case_shown, decided_queue, flagged_work, queue_entries, waiting_queue
from screening.selectors.flow import study_flow
from screening.selectors.participants import (
    excluded_participants,
    retained_participants,
    undecided_participants,
)
from screening.selectors.screening import last_filter, people_counts
from screening.services.screening import study_screen
from screening.services.verdicts import VerdictRefused, verdicts_confirm_all
from studies.models import Participant, Study, User
from tests.support.screened_people import GOOD, OFF_TASK, codes, confirm

pytestmark = pytest.mark.django_db
Work = Callable[..., Session]
ON_TASK = {f"p{n}": GOOD for n in range(1, 5)}


@pytest.fixture
def flagged(study: Study, person: Callable[..., Participant], work: Work, now: datetime) -> Participant:
    participant = person()
    work(participant, OFF_TASK)
    study_screen(study=study, now=now)
    return participant


def test_flags_are_stored_once_however_often_the_rules_run(
    study: Study, flagged: Participant, now: datetime
) -> None:
    study_screen(study=study, now=now + timedelta(days=1))
    assert list(AnswerFlag.objects.values_list("reason", flat=True)) == ["minimal_content"] * 4
    assert list(ParticipantFlag.objects.values_list("participant", "reason", "flagged_at")) == [
        (flagged.pk, "mostly_off_task", now)
    ]


def test_a_flag_excludes_nobody(study: Study, flagged: Participant) -> None:
    assert codes(retained_participants(study)) == {flagged.code}
    assert codes(undecided_participants(study)) == {flagged.code}
    assert not excluded_participants(study).exists()


def test_flagged_people_count_and_whoever_ended_after_the_filter_does_not_yet(
    study: Study,
    flagged: Participant,
    person: Callable[..., Participant],
    work: Work,
    lead: User,
    now: datetime,
) -> None:
    study_screen(study=study, now=now + timedelta(days=1))
    work(person(), ON_TASK, at=now + timedelta(days=2))
    counts = people_counts(study, last_filter(study).ran_at)
    assert (counts.finished, counts.finished_since, counts.counted) == (2, 1, 1)
    confirm(flagged, lead, now)
    assert people_counts(study, last_filter(study).ran_at).counted == 0


def test_a_confirmed_flag_excludes_and_an_overturned_one_retains_again(
    study: Study, flagged: Participant, lead: User, now: datetime
) -> None:
    first = confirm(flagged, lead, now)
    assert codes(excluded_participants(study)) == {flagged.code}
    assert not retained_participants(study).exists()
    second = confirm(
        flagged,
        lead,
        now,
        decision=VerdictDecision.OVERTURN,
        reason="On second thought.",
        seen_verdict_id=first.pk,
    )
    assert codes(retained_participants(study)) == {flagged.code}
    assert not excluded_participants(study).exists()
    assert list(Verdict.objects.values_list("pk", "decision")) == [
        (first.pk, "confirm"),
        (second.pk, "overturn"),
    ]


def test_a_verdict_needs_a_reason(flagged: Participant, lead: User, now: datetime) -> None:
    with pytest.raises(VerdictRefused, match="A verdict needs a reason"):
        confirm(flagged, lead, now, reason="  ")
    assert not Verdict.objects.exists()


def test_a_verdict_on_somebody_nobody_flagged_is_refused(
    person: Callable[..., Participant], work: Work, lead: User, now: datetime
) -> None:
    participant = person()
    work(participant, ON_TASK)
    with pytest.raises(VerdictRefused, match=f"No rule flags {participant.code}"):
        confirm(participant, lead, now)


def test_a_verdict_from_a_page_that_is_out_of_date_is_refused(
    flagged: Participant, lead: User, now: datetime
) -> None:
    confirm(flagged, lead, now)
    with pytest.raises(VerdictRefused, match="Somebody decided about"):
        confirm(flagged, lead, now, decision=VerdictDecision.OVERTURN)
    assert Verdict.objects.count() == 1


def test_confirming_all_leaves_earlier_decisions_alone(
    study: Study,
    person: Callable[..., Participant],
    flagged: Participant,
    work: Work,
    lead: User,
    now: datetime,
) -> None:
    confirm(flagged, lead, now, decision=VerdictDecision.OVERTURN)
    other = person()
    work(other, OFF_TASK)
    study_screen(study=study, now=now)
    verdicts = verdicts_confirm_all(study=study, reason="Declared in advance.", actor=lead, now=now)
    assert [(verdict.participant, verdict.decided_by) for verdict in verdicts] == [(other, lead)]
    assert codes(retained_participants(study)) == {flagged.code}
    assert verdicts_confirm_all(study=study, reason="Declared in advance.", actor=lead, now=now) == []


def test_only_ended_sessions_of_real_people_are_screened_and_retained(
    study: Study, person: Callable[..., Participant], work: Work, now: datetime
) -> None:
    ended, expired = person(), person()
    work(ended, ON_TASK)
    work(expired, {"p1": GOOD, "p2": GOOD}, end="expired")
    work(person(), OFF_TASK, end="active")
    work(person(), OFF_TASK, end="withdrawn")
    work(person(is_test=True), OFF_TASK)
    person()
    screening = study_screen(study=study, now=now)
    assert (screening.participants, screening.answers, screening.people) == (2, {"no_answer": 2}, {})
    assert codes(retained_participants(study)) == {ended.code, expired.code}


def test_the_flow_counts_everybody_once(
    study: Study,
    person: Callable[..., Participant],
    flagged: Participant,
    work: Work,
    lead: User,
    now: datetime,
) -> None:
    confirm(flagged, lead, now)
    work(person(), {"p1": GOOD, "p2": ""})
    work(person(), {"p1": GOOD}, end="expired")
    work(person(), ON_TASK, end="withdrawn")
    work(person(), {"p1": GOOD}, end="active")
    work(person(is_test=True), ON_TASK)
    person()
    flow = study_flow(study)
    assert (flow.recruited, flow.approved, flow.rejected, flow.test_participants) == (6, 6, 0, 1)
    assert (flow.started, flow.active, flow.submitted, flow.expired, flow.withdrawn) == (5, 1, 2, 1, 1)
    assert (flow.flagged, flow.excluded, flow.retained) == (1, 1, 2)
    assert flow.answers == {
        "answered": 5,
        "drafted_at_expiry": 1,
        "draft": 1,
        "blank": 0,
        "skipped": 1,
        "not_reached": 8,
        "withdrawn": 4,
    }
    assert {state: number for state, number in flow.answers_retained.items() if number} == {
        "answered": 1,
        "drafted_at_expiry": 1,
        "skipped": 1,
        "not_reached": 5,
    }


def test_a_reviewer_sees_the_answers_and_no_name_score_or_profile(
    study: Study, flagged: Participant, lead: User
) -> None:
    case = case_shown(study, flagged_work(study, [flagged.code]), flagged.code, lead, settles=True)
    assert case is not None
    assert (case.code, case.reason) == (flagged.code, "Answers that are too short: 4 of 4")
    assert [place.position for place in case.places] == [1, 2, 3, 4]
    assert [[(piece.text, piece.reasons) for piece in place.pieces] for place in case.places] == [
        [("no idea", ("minimal_content",))]
    ] * 4
    assert {place.badges for place in case.places} == {("too short",)}
    assert all(place.question.startswith("Explain in some detail") for place in case.places)


def test_listing_the_queue_takes_the_same_number_of_queries_for_many_people(
    study: Study,
    person: Callable[..., Participant],
    work: Work,
    lead: User,
    now: datetime,
    django_assert_num_queries: Callable[[int], object],
) -> None:
    for _ in range(3):
        work(person(), OFF_TASK)
    study_screen(study=study, now=now)
    queue = waiting_queue(study, lead, settles=True)
    with django_assert_num_queries(2):  # type: ignore[attr-defined]
        flagged = flagged_work(study, [code for code, _waits in queue])
        assert [one.reason for one in queue_entries(flagged, queue)] == [
            "Answers that are too short: 4 of 4"
        ] * 3


def test_whoever_is_decided_waits_no_more(
    study: Study, person: Callable[..., Participant], work: Work, lead: User, now: datetime
) -> None:
    people = [person() for _ in range(4)]
    for participant in people:
        work(participant, OFF_TASK)
    study_screen(study=study, now=now)
    decided = min(people, key=lambda participant: participant.code)
    confirm(decided, lead, now)
    waiting = sorted(participant.code for participant in people if participant != decided)
    assert waiting_queue(study, lead, settles=True) == [(code, "first") for code in waiting]
    assert decided_queue(study) == [(decided.code, "decided")]
