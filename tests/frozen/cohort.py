"""Small studies through the services: banks, people, what they write, judges. Nobody in them is real."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from batches.models import Session
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.ending import DeclaredResources, session_submit, session_withdraw, sessions_expire
from batches.services.plans import batches_build
from batches.services.starting import session_start
from benchmarks.hashed_judge.running import judge_server
from formats.item_parameters import ItemParameter, ItemParameters
from judging.coordinator import run_continue_or_start, run_work_through
from judging.models import JudgeConfig
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from judging.services.running.judge_specs import scoring_run_open, study_judge_specs
from judging.services.running.settling import answers_complete
from scoring.readers.model_results.records import ModelResponse, ModelResults, PublishedAbility
from scoring.services.leaderboards import leaderboard_import
from scoring.services.results import results_compute
from screening.models import VerdictDecision
from screening.selectors.participants import undecided_participants
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import, item_bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import (
    participant_add,
    participant_approve,
    participant_reject,
)
from studies.services.people.profiles import profile_submit
from studies.services.staff.staff import staff_add
from studies.services.studies import study_create, study_freeze
from tests.upgrades.everything_once import BOOKS
from tests.upgrades.kept_study import BEGAN, after

PROFILES = ("stem-phd", "stem-undergraduate", "non-stem-undergraduate")
FREQUENCIES = ("daily", "weekly", "never")
DECISIONS = (VerdictDecision.CONFIRM, VerdictDecision.OVERTURN, VerdictDecision.CONFIRM)
SECOND_DECISIONS = (VerdictDecision.CONFIRM, VerdictDecision.OVERTURN, VerdictDecision.OVERTURN)
Texts = Mapping[str, str]
Writes = Callable[[int], Texts]


def lead_make() -> User:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    return lead


def study_open(
    slug: str, lead: User, prompts: Sequence[PromptRecord], item_bank: ItemBank | None, **settings: Any
) -> Study:
    """A frozen study with its batches."""
    reading = BankReading(
        bank=BankRecord(format="chiron", prompts=tuple(prompts)), problems=(), root=Path("/nowhere")
    )
    study = study_create(
        slug=slug,
        name=f"Frozen {slug}",
        bank_version=bank_import(slug=slug, reading=reading, strict=True, now=BEGAN).version,
        item_bank=item_bank,
        judge_protocol=None,
        # Both reviewers decide about everybody, and where they disagree the later verdict counts.
        settings=ProtocolSettings.model_validate({"second_share": None, **settings}),
        now=BEGAN,
        actor=lead,
    )
    batches_build(study=study, now=BEGAN, actor=lead)
    return study_freeze(study=study, now=BEGAN, actor=lead)


def items_make(slug: str, names: Sequence[str], chance: random.Random) -> ItemBank:
    """An item bank of right sizes, with the constants of a published one."""
    items = tuple(
        ItemParameter(name, a=round(chance.uniform(0.6, 2.2), 3), b=round(chance.gauss(0, 1), 3))
        for name in names
    )
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug=slug, parameters=parameters, now=BEGAN)[0]


def models_make(item_bank: ItemBank, names: Sequence[str], scores: Sequence[float], *, seed: int) -> None:
    """Four models with three epochs, of which one lacks prompts; and two of which a theta is published."""
    chance = random.Random(seed)
    responses = tuple(
        ModelResponse(
            f"model {m}", name, epoch, chance.choice(scores[m // 2 :]), f"family {m % 2}", "a judge"
        )
        for m in range(4)
        for name in (names[:-2] if m == 3 else names)
        for epoch in range(1, 4)
    )
    published = (
        PublishedAbility("told a", 0.75, 0.1, 5, "A table", "family 0"),
        PublishedAbility("told b", -0.5, None, None, "", "family 2"),
    )
    results = ModelResults(responses, published)
    leaderboard_import(item_bank=item_bank, results=results, source="Invented", replace=False, now=BEGAN)


def people_work(study: Study, lead: User, endings: Sequence[str], writes: Writes) -> list[Participant]:
    """One person for each ending, who writes what `writes(number)` says, by prompt.

    An ending is "submitted", "expired", "withdrawn", "active", "absent" (never starts) or "test"; the last is
    a test participant's.
    """
    people = [person_make(study, n, lead, is_test=end == "test") for n, end in enumerate(endings)]
    for n, (person, end) in enumerate(zip(people, endings, strict=True)):
        person_work(person, end, writes(n))
    sessions_expire(now=after(days=1))
    for person, end in zip(people, endings, strict=True):
        if end == "active":
            session = session_start(participant=person, now=after(days=2))
            answers_write(session, writes(0))
    return people


def person_make(study: Study, number: int, lead: User, *, is_test: bool) -> Participant:
    person = participant_add(
        study=study,
        email=f"person{number}@example.org",
        profile=PROFILES[number % 3],
        is_test=is_test,
        now=BEGAN,
        actor=lead,
    )
    consent_record(participant=person, accepted=True, now=after(minutes=1))
    told = {
        "field": "Chemistry",
        "prior_exposure": ("no", "yes")[number % 4 == 0],
        "ai_experience": FREQUENCIES[number % 3],
    }
    profile_submit(participant=person, answers=told, file=None, now=after(minutes=2))
    return participant_approve(participant=person, now=after(minutes=5), actor=lead)


def people_turned_away(study: Study, lead: User) -> None:
    """One whom the team rejected, and one whom nobody has decided about."""
    rejected, _waiting = (
        participant_add(
            study=study,
            email=f"{name}@example.org",
            profile=PROFILES[0],
            is_test=False,
            now=BEGAN,
            actor=lead,
        )
        for name in ("rejected", "waiting")
    )
    participant_reject(participant=rejected, reason="No degree.", now=after(minutes=5), actor=lead)


def person_work(person: Participant, end: str, texts: Texts) -> None:
    if end in ("active", "absent"):
        return
    session = session_start(participant=person, now=after(hours=1))
    answers_write(session, texts)
    if end in ("submitted", "test", "withdrawn"):
        resources = BOOKS if end == "submitted" else DeclaredResources(categories=(), note="")
        session_submit(session=session, resources=resources, now=after(hours=4))
    if end == "withdrawn":
        session_withdraw(participant=person, now=after(hours=5), reason="No time.")


def answers_write(session: Session, texts: Texts) -> None:
    """A prompt given "" is seen and left; one that is not named is never opened."""
    began, user = session.started_at, session.participant.user_id
    for answer in session.answers.select_related("prompt").order_by("position"):
        text, place = texts.get(answer.prompt.prompt_id), answer.position
        if text is None:
            continue
        prompt_seen(session=session, position=place, now=began + timedelta(minutes=4 * place))
        if text:
            incoming = IncomingText(
                text=text,
                base_revision=0,
                tab="one",
                sequence=1,
                note="A calculator" if session.asks_note else "",
                confidence=50 + len(text) % 50 if session.asks_confidence else None,
            )
            moment = began + timedelta(minutes=4 * place + 3, seconds=7 * (len(text) % 5))
            answer_save(user_id=user, session_id=session.pk, position=place, incoming=incoming, now=moment)


def flags_decide(study: Study, lead: User) -> None:
    """Screen, and let two reviewers decide about who is flagged, of one mind but on the third."""
    study_screen(study=study, now=after(days=3))
    second, _ = staff_add(email="second@example.org")
    # Not by code: these are drawn anew each time, and with them who is excluded would be.
    for number, person in enumerate(undecided_participants(study).order_by("pk")):
        seen = None
        for actor, decisions in ((lead, DECISIONS), (second, SECOND_DECISIONS)):
            verdict = verdict_record(
                participant=person,
                decision=decisions[number % len(decisions)],
                reason="Read it.",
                actor=actor,
                now=after(days=3, minutes=number),
                seen_verdict_id=seen,
            )
            seen = verdict.pk


@contextmanager
def judges_running(lead: User, letters: str) -> Iterator[list[JudgeConfig]]:
    """A judge for each letter: their verdicts follow from the request, some requests never get any."""
    if not letters:
        yield []
        return
    letter = letters[0]
    with (
        TemporaryDirectory() as folder,
        judge_server(log=Path(folder) / "log", judge=letter, permanent=0.02) as server,
        judges_running(lead, letters[1:]) as others,
    ):
        settings = JudgeSettings(base_url=server.url, model=f"judge-{letter}", provider="generic")
        own = judge_add(slug=f"judge-{letter.lower()}", settings=settings, actor=lead, now=BEGAN)
        yield [own, *others]


def answers_judge(study: Study, judges: Sequence[JudgeConfig], lead: User) -> None:
    """Judge everything and compute first results; nothing is measured yet."""
    study.refresh_from_db()
    specs = study_judge_specs(study=study, configs=judges)
    run = run_continue_or_start(study, specs, None, lead, judging_clock, nobody_watches)
    if run is not None:
        run_work_through(run=run, clock=judging_clock, progress=nobody_watches)
    for spec in specs:
        scoring_run = scoring_run_open(study=study, spec=spec, now=judging_clock())
        answers_complete(run=scoring_run, now=judging_clock())
        results_compute(run=scoring_run, now=judging_clock())


def judging_clock() -> datetime:
    return after(days=4)


def nobody_watches(done: int, of: int) -> None:
    """The progress of something short."""
