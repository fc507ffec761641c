"""What is kept of sessions gives the numbers that a look at every answer gives, whatever happens to them."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta

import pytest
from django.db.models import QuerySet

from batches.models import Answer, Session
from batches.rules.statuses import VOID
from batches.selectors.answers import answers_to_score
from batches.selectors.sums import (
    answers_written,
    has_written,
    number_written,
    sessions_to_score,
    written_and_seconds,
    written_by_prompt,
)
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.deletion import person_texts_delete
from batches.services.ending import DeclaredResources, session_submit, session_withdraw, sessions_expire
from batches.services.extending import session_extend, session_reopen
from batches.services.flags import answer_flag
from batches.services.starting import session_start
from batches.services.sums import sessions_count, sessions_differing
from batches.services.voiding import session_void
from console.selectors.questions import answers_counted
from judging.models import AnswerScore, CriterionScore, JudgingRun, ScoringRun
from judging.selectors.judging import answers_to_judge, counted_rows
from judging.selectors.left import judged
from judging.services.running.settling import scores_store
from screening.models import Verdict
from screening.selectors.flow import study_flow
from screening.selectors.participants import retained_participants
from studies.models import Participant, Study, User
from studies.services.refusals import Refused

pytestmark = pytest.mark.django_db
NOTHING = DeclaredResources((), "")
STEPS, LOOKED_AT_EVERY = 120, 3


class Days:
    """People at work in a study, and whatever else may happen there, by chance."""

    def __init__(self, study: Study, people: list[Participant], lead: User, now: datetime, seed: int) -> None:
        self.study, self.people, self.lead, self.now = study, people, lead, now
        self.chance = random.Random(seed)
        self.sequence = 0
        self.run = JudgingRun.objects.create(
            study=study, state="cancelled", planned=1, estimate=[], plan_sha256="0" * 64, started_at=now,
            resumed_at=now, ended_at=now,
        )  # fmt: skip
        self.judges = [
            ScoringRun.objects.create(
                study=study, judge_kind="exact", judge={"kind": "exact"}, judge_sha256=str(n) * 64,
                protocol_hash=study.protocol_hash, design_hash=study.design_hash, started_at=now,
            )
            for n in range(2)
        ]  # fmt: skip

    def step(self) -> None:
        todo = self.chance.choice(
            [self.save] * 8 + [self.see, self.see_late, self.flag]
            + [self.submit, self.submit, self.wait, self.wait]
            + [self.sweep, self.sweep_late, self.extend, self.reopen, self.void, self.withdraw]
            + [self.count, self.count, self.count, self.judge, self.judge, self.decide]
        )  # fmt: skip
        with suppress(Refused):
            todo()

    def session(self) -> Session:
        person = self.chance.choice(self.people)
        session = Session.objects.filter(participant=person).first()
        return session or session_start(participant=person, now=self.now)

    def place(self, session: Session) -> Answer:
        return self.chance.choice(list(session.answers.all()))

    def save(self, *, now: datetime | None = None, session: Session | None = None) -> None:
        session = session or self.session()
        answer = self.place(session)
        self.sequence += 1
        text = self.chance.choice(["", "  ", "It follows.", "It follows from that."])
        incoming = IncomingText(text, base_revision=answer.revision, tab="t", sequence=self.sequence)
        answer_save(
            user_id=session.participant.user_id, session_id=session.pk, position=answer.position,
            incoming=incoming, now=now or self.now,
        )  # fmt: skip

    def see(self) -> None:
        session = self.session()
        prompt_seen(session=session, position=self.place(session).position, now=self.now)

    def see_late(self) -> None:
        session = self.session()
        prompt_seen(
            session=session, position=self.place(session).position, now=self.now,
            seconds_ago=self.chance.choice([60, 3_000]),
        )  # fmt: skip

    def flag(self) -> None:
        session = self.session()
        answer_flag(
            user_id=session.participant.user_id, session_id=session.pk, position=self.place(session).position,
            flagged=self.chance.random() < 0.5, now=self.now,
        )  # fmt: skip

    def submit(self) -> None:
        session_submit(session=self.session(), resources=NOTHING, now=self.now)

    def wait(self) -> None:
        self.now += timedelta(minutes=self.chance.choice([1, 5, 20, 40]))

    def sweep(self) -> None:
        sessions_expire(now=self.now)

    def sweep_late(self) -> None:
        """The sweep is faster than texts that were on the wire, one of them within the tolerance."""
        session = self.session()
        if session.status == "active" and session.deadline_at > self.now:
            self.now = session.deadline_at + timedelta(seconds=30)
            sessions_expire(now=self.now)
            self.save(session=session, now=session.deadline_at - timedelta(seconds=1))
            self.save(session=session, now=session.deadline_at + timedelta(seconds=5))

    def extend(self) -> None:
        session_extend(session=self.session(), minutes=20, reason="A power cut", now=self.now)

    def reopen(self) -> None:
        session_reopen(session=self.session(), reason="Pressed by mistake", now=self.now)

    def void(self) -> None:
        if self.chance.random() < 0.3:
            session_void(session=self.session(), reason="Not the person", now=self.now, actor=self.lead)

    def withdraw(self) -> None:
        person = self.chance.choice(self.people)
        if self.chance.random() < 0.3:
            session_withdraw(participant=person, now=self.now)
            person_texts_delete(person)

    def count(self) -> None:
        sessions_count(now=self.now, at_most=self.chance.choice([1, 100]))

    def judge(self) -> None:
        """Some answers get a score or a reason for having none, as they are now."""
        judge = self.chance.choice(self.judges)
        answers = [one for one in answers_to_judge(self.study) if self.chance.random() < 0.7]
        scores = []
        for one in answers:
            score = self.chance.choice([1.0, 0.0, None])
            reason = "empty" if score is None else ""
            scores.append(
                AnswerScore(
                    run=judge, answer=one, revision=one.revision, score=score, unscored_reason=reason,
                    judged_at=self.now,
                )
            )  # fmt: skip
        scores_store(scores)
        for one in answers[:1]:
            CriterionScore.objects.get_or_create(
                judging_run=self.run, run=judge, answer=one, criterion=None,
                defaults={"revision": one.revision, "available_at": self.now},
            )  # fmt: skip

    def decide(self) -> None:
        Verdict.objects.create(
            participant=self.chance.choice(self.people), rules_version="offtask-1", reason="Read it.",
            decision=self.chance.choice(["confirm", "overturn"]), decided_by=self.lead, decided_at=self.now,
            reading="first", leaves_open="nothing",
        )  # fmt: skip


def assert_same(days: Days) -> None:
    study, every = days.study, Session.objects.filter(participant__study=days.study)
    answers, taken = answers_counted(answers_to_score(study))
    assert written_by_prompt(study, sessions_to_score(study)) == answers
    by_prompt, seconds = written_and_seconds(study, sessions_to_score(study))
    assert by_prompt == answers
    assert seconds == pytest.approx(taken)
    written = {one.pk: one.answers.filter(has_text=True).count() for one in every}
    assert dict(every.annotate(n=answers_written()).values_list("pk", "n")) == written
    assert number_written(every) == sum(written.values())
    has_any = {pk for pk, number in written.items() if number}
    assert set(every.filter(has_written()).values_list("pk", flat=True)) == has_any
    flow, everybody = study_flow(study), Participant.objects.filter(study=study)
    assert Counter(flow.answers) == states(everybody)
    assert Counter(flow.answers_retained) == states(retained_participants(study))
    assert sessions_differing(list(every.filter(counted_at__isnull=False))) == []
    asked = ScoringRun.objects.filter(criteria__judging_run=days.run).distinct()
    now = judged(study, days.run)
    assert now.answers == answers_to_judge(study).count()
    assert now.scored == min((sum(row.scored for row in counted_rows(one)) for one in asked), default=0)


def states(people: QuerySet[Participant]) -> Counter[str]:
    rows = Answer.objects.filter(session__participant__in=people, session__participant__is_test=False)
    return Counter(
        VOID if one.session.voided_at else one.state.value for one in rows.select_related("session")
    )


@pytest.fixture
def days(
    request: pytest.FixtureRequest,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    lead: User,
    now: datetime,
) -> Days:
    study = make_study(
        prompts=9, batch_size=3, replicates_per_profile=50, time_budget_minutes=60,
        overdue_rule=("saved_counts", "submitted_only")[request.param % 2],
    )  # fmt: skip
    people = [make_person(study, is_test=n == 0) for n in range(7)]
    return Days(study, people, lead, now, request.param)


@pytest.mark.parametrize("days", range(6), indirect=True)
def test_numbers_follow_from_sums_whatever_happens(days: Days) -> None:
    counted = set()
    for number in range(STEPS):
        days.step()
        counted |= set(Session.objects.filter(counted_at__isnull=False).values_list("pk", flat=True))
        if number % LOOKED_AT_EVERY == 0:
            assert_same(days)
    assert_same(days)
    assert len(counted) > 1, "nothing was looked for in sums"


@pytest.mark.parametrize("days", [0], indirect=True)
def test_no_keys_of_sessions_are_read_to_say_what_is_left(
    days: Days, django_assert_num_queries: Callable[..., AbstractContextManager[object]]
) -> None:
    for _ in range(8):
        days.save()
    days.submit()
    days.judge()
    with django_assert_num_queries(1):
        judged(days.study, days.run)
