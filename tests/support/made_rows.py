"""Fixtures that make rows: staff, studies, people, their work, judges, scores; by the real services."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from batches.models import Session
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.ending import (
    DeclaredResources,
    session_submit,
    session_withdraw,
    sessions_expire,
)
from batches.services.plans import batches_build
from batches.services.starting import session_start
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from console.services.bank_files import bank_contents_keep
from console.services.staging import upload_stage
from judging.models import JudgeConfig
from judging.services.running.judge_specs import study_judge_specs
from scoring.coordinator import Scoring, study_score
from screening.models import VerdictDecision
from screening.selectors.participants import undecided_participants
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve
from studies.services.studies import study_create, study_freeze
from tests.support.measuring import unmeasured


@pytest.fixture
def lead() -> User:
    """Somebody of the study team who may do everything."""
    return User.objects.create_superuser("lead@example.org")


@pytest.fixture
def staff(client: Client, lead: User) -> Client:
    """The lead's browser."""
    client.force_login(lead)
    client.get("/")  # the first request notes in the session when it ends
    return client


@pytest.fixture(scope="session")
def make_study(now: datetime) -> Callable[..., Study]:
    """Make a frozen study with built batches: `make_study(prompts=40, batch_size=20, …)`.

    Nobody is drawn for a second reading. `prompts` is a number of plain text prompts or the records
    themselves; other keywords are settings, and `closes_at`, `opens_at`, `slug`, `item_bank`, `root` (the
    folder of the records' attachments).
    """
    numbers = itertools.count(1)

    def make(
        *,
        prompts: int | list[PromptRecord] = 4,
        slug: str = "",
        closes_at: datetime | None = None,
        opens_at: datetime | None = None,
        root: Path | None = None,
        item_bank: ItemBank | None = None,
        **settings: object,
    ) -> Study:
        slug = slug or f"study-{next(numbers)}"
        records = plain_prompts(prompts) if isinstance(prompts, int) else prompts
        bank = BankRecord(format="chiron", prompts=tuple(records))
        reading = BankReading(bank=bank, problems=(), root=root or Path())
        study = study_create(
            slug=slug,
            name=f"The study {slug}",
            bank_version=bank_import(slug=f"bank-{slug}", reading=reading, strict=True, now=now).version,
            item_bank=item_bank,
            judge_protocol=None,
            settings=ProtocolSettings.model_validate(
                {"batch_size": 4, "assembly": "random", "second_share": None, **settings}
            ),
            opens_at=opens_at,
            closes_at=closes_at,
            now=now,
        )
        batches_build(study=study, now=now)
        return study_freeze(study=study, now=now)

    return make


def plain_prompts(number: int) -> list[PromptRecord]:
    return [
        PromptRecord(prompt_id=f"p{n:03d}", text=f"Question {n}?", gold_answer=str(n), category="QR")
        for n in range(1, number + 1)
    ]


@pytest.fixture(scope="session")
def make_person(now: datetime) -> Callable[..., Participant]:
    """Add an approved person who has consented: `make_person(study, profile="stem-phd", is_test=False)`."""
    numbers = itertools.count(1)

    def make(study: Study, *, profile: str = "stem-phd", is_test: bool = False) -> Participant:
        email = f"person{next(numbers)}@example.org"
        participant = participant_add(study=study, email=email, profile=profile, is_test=is_test, now=now)
        participant = participant_approve(participant=participant, now=now)
        consent_record(participant=participant, accepted=True, now=now)
        return participant

    return make


@pytest.fixture(scope="session")
def work(now: datetime) -> Callable[..., Session]:
    """Let a person start, write and end: `work(person, {"p001": "text"}, end="submitted")`.

    `end` is "submitted", "expired", "withdrawn" or "active". A prompt given "" is seen and left; one that is
    not named is never opened. They begin at `now`, or `at`.
    """

    def run(
        participant: Participant, answers: dict[str, str], *, end: str = "submitted", at: datetime = now
    ) -> Session:
        session = session_start(participant=participant, now=at)
        for answer in session.answers.select_related("prompt"):
            if (text := answers.get(answer.prompt.prompt_id)) is not None:
                prompt_seen(session=session, position=answer.position, now=at)
                write(session, answer.position, text, at)
        end_session(session, end, at)
        session.refresh_from_db()
        return session

    return run


def write(session: Session, position: int, text: str, now: datetime) -> None:
    if text:
        incoming = IncomingText(text=text, base_revision=0, tab="one", sequence=1)
        user_id = session.participant.user_id
        answer_save(user_id=user_id, session_id=session.pk, position=position, incoming=incoming, now=now)


def end_session(session: Session, end: str, now: datetime) -> None:
    at = now + timedelta(hours=1)
    if end == "submitted":
        books = DeclaredResources(categories=("Books",), note="")
        session_submit(session=session, resources=books, now=at)
    elif end == "withdrawn":
        session_withdraw(participant=session.participant, now=at)
    elif end == "expired":
        sessions_expire(now=session.deadline_at + timedelta(hours=1))


@pytest.fixture
def judge_endpoint(tmp_path: Path) -> Iterator[RunningJudge]:
    """A judge server of its own: its verdicts follow from the request alone, and it logs what arrives."""
    with judge_server(log=tmp_path / "judge.log", latency_ms=2) as running:
        yield running


@pytest.fixture(scope="session")
def make_judge(now: datetime) -> Callable[..., JudgeConfig]:
    """Add a judge: `make_judge(url, slug="judge", **fields)`."""

    def make(url: str, slug: str = "judge", **fields: object) -> JudgeConfig:
        facts = {"model": "judge-1", "provider": "generic", "created_at": now, **fields}
        return JudgeConfig.objects.create(slug=slug, base_url=url, **facts)

    return make


@pytest.fixture
def running_clock(now: datetime) -> Callable[[], datetime]:
    """A clock that shows `now` at first and goes on from there."""
    began = timezone.now()
    return lambda: now + (timezone.now() - began)


@pytest.fixture
def score(settings: Settings, running_clock: Callable[[], datetime]) -> Callable[..., Scoring]:
    """Screen, judge and compute: `score(study, judge, …)`; no judge where the study's own computes.

    What failed is asked again without a wait. `measures=False`: it ends with the results, for who
    measures them otherwise or looks at nothing that is measured.
    """
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    return partial(scored, clock=running_clock)


@pytest.fixture(scope="session")
def score_at() -> Callable[..., Scoring]:
    """The same where there is no one test: `score_at(study, judge, …, clock=…)`."""
    return scored


def scored(
    study: Study,
    *judges: JudgeConfig,
    replicates: int = 1,
    budget: Decimal | None = None,
    measures: bool = True,
    clock: Callable[[], datetime],
) -> Scoring:
    study.refresh_from_db()
    with nullcontext() if measures else unmeasured():
        return study_score(
            study=study,
            specs=study_judge_specs(study=study, configs=judges, replicates=replicates),
            budget=budget,
            actor=None,
            clock=clock,
            planning=no_progress,
            judging=no_progress,
        )


@pytest.fixture(scope="session")
def keep_flagged() -> Callable[[Study, datetime], None]:
    """Screen a study and keep everybody who is flagged: `keep_flagged(study, now)`."""

    def keep(study: Study, now: datetime) -> None:
        study_screen(study=study, now=now)
        reviewer, _ = User.objects.get_or_create(email="reviewer@example.org", defaults={"is_staff": True})
        for person in undecided_participants(study):
            verdict_record(
                participant=person, decision=VerdictDecision.OVERTURN, reason="1", actor=reviewer, now=now
            )

    return keep


def no_progress(done: int, total: int) -> None:
    """Nobody watches a test."""


def bank_upload_read(*more: bytes) -> str:
    """An uploaded bank that was read, and nobody has imported yet; its token. `more` are further lines."""
    lines = [b'{"id": "a", "text": "1 + 1?", "gold_answer": "2"}', *more]
    token = upload_stage(name="bank.jsonl", content=b"\n".join(lines))
    bank_contents_keep(token=token, slug="read", bank_format="chiron", mini=False)
    return token
