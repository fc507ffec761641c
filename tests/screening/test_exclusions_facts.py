"""What exclusion rules look at, from real sessions: content and process, never a score."""

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from batches.models import Answer, Session
from psychometrics.exclusions.rules import rated_twice
from psychometrics.exclusions.words import count_words
from screening.models import Verdict, VerdictDecision
from screening.selectors.exclusion_facts import exclusion_facts
from screening.selectors.screening import decisions_by_rater, excluded_by_reason
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.models import Participant, Study, User
from studies.services.amendments import study_amend

pytestmark = pytest.mark.django_db
SENTENCE = "The colour is red because the light that reaches the eye is red."  # 13 words
COMMENT = "This question is unclear."


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=4, replicates_per_profile=50)


@pytest.fixture
def people(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session], now: datetime
) -> list[Participant]:
    """Somebody on task who left one prompt out, a commenter, somebody without any answer."""
    people = [make_person(study) for _ in range(3)]
    work(people[0], {"p001": SENTENCE, "p002": "A shorter one it is.", "p003": SENTENCE, "p004": ""})
    work(people[1], {"p001": COMMENT, "p002": COMMENT, "p003": COMMENT, "p004": SENTENCE})
    work(people[2], {"p001": ""})
    study_screen(study=study, now=now)
    return people


def decide(person: Participant, decision: VerdictDecision, actor: User, now: datetime) -> Verdict:
    newest = Verdict.objects.filter(participant=person).last()
    return verdict_record(
        participant=person, decision=decision, reason="I read the answers.", actor=actor, now=now,
        seen_verdict_id=newest.pk if newest else None,
    )  # fmt: skip


def test_facts_are_shares_words_and_seconds_in_the_order_asked_for(
    study: Study, people: list[Participant], now: datetime
) -> None:
    answers = Answer.objects.filter(session__participant=people[0], has_text=True)
    answers.update(saved_at=now + timedelta(minutes=6))
    facts = exclusion_facts(study, [people[n].code for n in (1, 0, 2)])
    assert facts.off_task_share.tolist() == pytest.approx([0.75, 0.0, np.nan], nan_ok=True)
    assert facts.answered_share.tolist() == [1.0, 0.75, 0.0]
    assert facts.median_words.tolist() == pytest.approx([4.0, 13.0, np.nan], nan_ok=True)
    assert facts.seconds_per_answer.tolist() == pytest.approx([0.0, 120.0, np.nan], nan_ok=True)
    assert facts.confirmed.tolist() == [False, False, False]


def test_a_confirmed_verdict_is_a_fact_and_an_overturned_one_is_none(
    study: Study, people: list[Participant], lead: User, now: datetime
) -> None:
    decide(people[1], VerdictDecision.CONFIRM, lead, now)
    decide(people[2], VerdictDecision.OVERTURN, lead, now)
    codes = [person.code for person in people]
    assert exclusion_facts(study, codes).confirmed.tolist() == [False, True, False]
    assert excluded_by_reason(study) == {"mostly_off_task": 1}


def test_three_queries_whatever_the_number_of_people(
    study: Study,
    people: list[Participant],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> None:
    def queries() -> int:
        codes = list(study.participants.values_list("code", flat=True))
        with CaptureQueriesContext(connection) as seen:
            exclusion_facts(study, codes)
        return len(seen)

    before = queries()
    for _ in range(4):
        work(make_person(study), {"p001": SENTENCE})
    assert queries() == before == 3


def test_people_without_an_ended_session_are_not_known(
    study: Study,
    people: list[Participant],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> None:
    running, gone = make_person(study), make_person(study)
    work(running, {"p001": SENTENCE}, end="active")
    work(gone, {"p001": SENTENCE}, end="withdrawn")
    facts = exclusion_facts(study, [running.code, gone.code])
    assert np.isnan([facts.answered_share, facts.off_task_share, facts.median_words]).all()


def test_two_reviewers_are_compared_by_what_each_decided_without_knowing_the_other(
    study: Study, people: list[Participant], lead: User, now: datetime
) -> None:
    second = User.objects.create_superuser("second@example.org")
    decide(people[2], VerdictDecision.CONFIRM, lead, now)
    decide(people[2], VerdictDecision.CONFIRM, second, now)  # who was not asked has seen the first
    study_amend(study=study, changes={"second_share": 1.0}, reason="Read twice.", now=now)
    decide(people[1], VerdictDecision.CONFIRM, lead, now)
    decide(people[1], VerdictDecision.CONFIRM, second, now)
    decide(people[1], VerdictDecision.OVERTURN, lead, now)
    decisions = decisions_by_rater(study)
    assert {code: list(own.values()) for code, own in decisions.items()} == {
        people[1].code: [True, True],
        people[2].code: [True],
    }
    assert [(one.participant, one.first, one.second) for one in rated_twice(decisions)] == [
        (people[1].code, True, True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "x = 3 + 4",
        "-- ... --",
        "one, two;\nthree",
        "don't  stop",
        "£3 größer",
        "漢字 ok",
        "a+b = $5 ~",
    ],
)
def test_words_are_counted_as_the_screening_counts_them(text: str) -> None:
    assert count_words(text) == count_words(f"{text} ·")  # a point is no word, and not ASCII
