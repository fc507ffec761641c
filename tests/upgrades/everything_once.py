"""A small study in which everything has happened once, made through the services. Nobody in it is real."""

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client

from batches.models import Session
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.ending import (
    DeclaredResources,
    session_submit,
    session_withdraw,
    sessions_expire,
)
from batches.services.extending import extra_time_grant, session_extend, session_reopen
from batches.services.flags import answer_flag
from batches.services.plans import batches_build
from batches.services.practice import practice_open, practice_save
from batches.services.starting import session_start
from benchmarks.hashed_judge.running import judge_server
from judging.models import JudgeConfig, JudgingRun
from judging.services.audit_ratings import RatingReading, RatingRow, ratings_import
from judging.services.audits import audit_draw
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from judging.services.running.judge_specs import study_judge_specs
from operations.services.erasure import withdrawn_erase
from reporting.services.study_reports import checklist_answer
from scoring.coordinator import study_score
from screening.models import VerdictDecision
from screening.selectors.participants import undecided_participants
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.selectors.participants import questions_sha256
from studies.services.amendments import study_amend
from studies.services.banks import bank_import
from studies.services.people.comprehension import check_answer
from studies.services.people.consents import consent_record
from studies.services.people.credentials import CheckedFile
from studies.services.people.invitations import invitation_create, invitation_revoke
from studies.services.people.messages import (
    announcement_make,
    announcement_withdraw,
    message_answer,
    message_send,
)
from studies.services.people.participants import participant_add, participant_approve, participant_reject
from studies.services.people.profiles import profile_submit
from studies.services.staff.staff import staff_add
from studies.services.studies import study_create, study_freeze
from tests.upgrades.kept_study import BEGAN, PICTURE, PROMPTS, after, study_make

TASKS_SLUG, PEOPLE = "kept-tasks", 8
BOOKS = DeclaredResources(categories=("Books",), note="An atlas – 2nd edition")


def everything_make() -> None:
    """Two studies, scored and measured, with every kind of row that a site holds."""
    lead = staff_make()
    study = study_make(lead)
    recruiting(study, lead)
    people = [person_make(study, number, lead) for number in range(PEOPLE)]
    working(people, lead)
    judging(study, lead)
    withdrawn_erase(now=after(days=45))
    tasks_study_make(lead)


def staff_make() -> User:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    staff_add(email="second@example.org")
    EmailAddress.objects.get_or_create(user=lead, email=lead.email, verified=True, primary=True)
    TOTP.activate(lead, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(lead)
    passkey = {"name": "A key", "credential": {"id": "a2V5", "type": "public-key"}}
    Authenticator.objects.create(user=lead, type=Authenticator.Type.WEBAUTHN, data=passkey)
    Client().force_login(lead)
    return lead


def recruiting(study: Study, lead: User) -> None:
    """Invited and not there yet, taken back, asked and refused; what was announced."""
    invited: dict[str, Any] = {"study": study, "profile": "stem-phd", "now": BEGAN, "actor": lead}
    invitation_create(email="waiting@example.org", **invited)
    unwanted = invitation_create(email="revoked@example.org", **invited)
    invitation_revoke(invitation=unwanted, now=after(hours=1), actor=lead)
    refused = participant_add(
        study=study, email="refused@example.org", profile="stem-phd", now=BEGAN, actor=lead
    )
    participant_reject(participant=refused, reason="No degree.", now=BEGAN, actor=lead)
    participant_add(study=study, email="new@example.org", profile="stem-phd", now=BEGAN, actor=lead)
    announcement_make(study=study, text="Welcome.", actor=lead, now=BEGAN)
    gone = announcement_make(study=study, text="A mistake.", actor=lead, now=BEGAN)
    announcement_withdraw(announcement=gone, actor=lead, now=after(hours=1))


def person_make(study: Study, number: int, lead: User) -> Participant:
    """Somebody who has agreed, sent the form, practised and passed the check; the last one is a test."""
    profile = ("stem-phd", "stem-undergraduate")[number % 2]
    email, is_test = f"person{number}@example.org", number == PEOPLE - 1
    person = participant_add(
        study=study, email=email, profile=profile, is_test=is_test, now=BEGAN, actor=lead
    )
    file = CheckedFile("card.pdf", "application/pdf", b"%PDF-1.7 a certificate") if number == 0 else None
    if number == 1:
        consent_record(participant=person, accepted=False, now=BEGAN)
    consent_record(participant=person, accepted=True, now=after(minutes=1))
    profile_submit(participant=person, answers={"field": "Mathematics"}, file=file, now=after(minutes=2))
    person = participant_approve(participant=person, now=after(minutes=5), actor=lead)
    practice_open(participant=person, number=1, now=after(minutes=6))
    practised = IncomingText(text="A trial", base_revision=0, tab="one", sequence=1)
    practice_save(participant=person, number=1, incoming=practised, now=after(minutes=6))
    right = [question.correct for question in study.protocol.check_questions]
    shown = questions_sha256(study.protocol)
    check_answer(participant=person, choices=right, attempt=1, shown_sha256=shown, now=after(minutes=7))
    return person


def working(people: list[Participant], lead: User) -> None:
    """Sessions that end in every way, one that runs on; extra time, messages, an amendment."""
    submitted, slow, expired, off_task, withdrawn, gone, running, test = people
    extra_time_grant(participant=slow, minutes=30, reason="A reader.", now=after(hours=1), actor=lead)
    for number, person in enumerate((submitted, slow, expired, off_task, withdrawn, gone, test)):
        session = session_start(participant=person, now=after(hours=1))
        answers_write(session, number, off_task=person == off_task)
        if person == slow:
            session_extend(
                session=session, minutes=15, reason="The power failed.", now=after(hours=3), actor=lead
            )
        if person != expired:
            session_submit(session=session, resources=BOOKS, now=after(hours=4))
    again = session_reopen(
        session=slow.session, reason="Handed in too early.", now=after(hours=4, minutes=10), actor=lead
    )
    session_submit(session=again, resources=BOOKS, now=after(hours=4, minutes=20))
    message_send(participant=submitted, text="May I use an atlas?", page="/study/", now=after(hours=2))
    message_answer(participant=submitted, text="Yes – any.", actor=lead, now=after(hours=2, minutes=5))
    session_withdraw(participant=gone, now=after(hours=5), reason="No time.")
    sessions_expire(now=after(days=1))
    study_amend(
        study=submitted.study,
        changes={"closes_at": after(days=90).isoformat()},
        reason="It took longer.",
        now=after(days=2),
        actor=lead,
    )
    running.refresh_from_db()
    session = session_start(participant=running, now=after(days=40))
    answers_write(session, 6)
    session_withdraw(participant=withdrawn, now=after(days=39))


def answers_write(session: Session, number: int, *, off_task: bool = False) -> None:
    """Two revisions of some answers, a note and a confidence; some left empty, one never opened."""
    began, user = session.started_at, session.participant.user_id
    for answer in session.answers.select_related("prompt").order_by("position"):
        place = answer.position
        if place == PROMPTS:
            continue
        prompt_seen(session=session, position=place, now=began + timedelta(minutes=place))
        words = (
            "idk" if off_task else f"It is {place * (number % 3 + 1)}, as π is 3 – found by person {number}."
        )
        for revision in range(0 if place == PROMPTS - 1 else 1 + place % 2):
            incoming = IncomingText(
                text=f"{words} Checked." if revision else words,
                base_revision=revision,
                tab="one",
                sequence=revision + 1,
                note="A calculator" if session.asks_note and place == 3 else "",
                confidence=70 if session.asks_confidence and place == 3 else None,
            )
            moment = began + timedelta(minutes=place * 5 + revision)
            answer_save(user_id=user, session_id=session.pk, position=place, incoming=incoming, now=moment)
    answer_flag(user_id=user, session_id=session.pk, position=1, flagged=True, now=began + timedelta(hours=1))


def judging(study: Study, lead: User) -> None:
    """Two judges, each asked twice; a verdict on who is off-task, an audit sample, an amendment."""
    now = after(days=41)
    study_screen(study=study, now=now)
    for person in undecided_participants(study):
        reason = "Nothing but idk."
        verdict_record(
            participant=person, decision=VerdictDecision.CONFIRM, reason=reason, actor=lead, now=now
        )
    with TemporaryDirectory() as folder, judge_server(log=Path(folder) / "judge.jsonl") as server:
        judges = [judge_make(name, server.url, lead) for name in ("one", "two")]
        study_score_all(study, judges, lead)
        sample = audit_draw(
            run=JudgingRun.objects.get(), size=20, seed=4, public_only=False, actor=lead, now=after(days=42)
        )
        rows = tuple(
            RatingRow(number + 1, sample.pk, number, (number % 3) / 2 if number < 15 else None, "Seen.")
            for number in sample.items.values_list("number", flat=True)
        )
        ratings_import(
            sample=sample, reading=RatingReading(rows, ()), rater="r1", actor=lead, now=after(days=42)
        )
        changes = {"top_size": 3}
        study_amend(study=study, changes=changes, reason="More came.", now=after(days=43), actor=lead)
        study_score_all(study, judges, lead)
    checklist_answer(study=study, item="0.1", text="Kept", actor=lead, now=after(days=44))


def judge_make(name: str, url: str, lead: User) -> JudgeConfig:
    settings = JudgeSettings(base_url=url, model=f"judge-{name}", provider="generic")
    return judge_add(slug=f"judge-{name}", settings=settings, actor=lead, now=BEGAN)


def study_score_all(study: Study, judges: list[JudgeConfig], lead: User) -> None:
    study.refresh_from_db()
    moment = after(days=41, hours=len(JudgingRun.objects.all()))
    study_score(
        study=study,
        specs=study_judge_specs(study=study, configs=judges, replicates=2 if judges else 1),
        budget=None,
        actor=lead,
        clock=lambda: moment,
        planning=lambda done, of: None,
        judging=lambda done, of: None,
    )


def tasks_study_make(lead: User) -> None:
    """A study of two tasks, scored by comparing, whose people work under one of two arms."""
    prompts = tuple(
        PromptRecord(
            prompt_id=f"t{n}", text=f"Twice {n}?", gold_answer=str(2 * n), task=("adding", "counting")[n % 2]
        )
        for n in range(1, 7)
    )
    reading = BankReading(bank=BankRecord(format="bbeh", prompts=prompts), problems=(), root=PICTURE.parent)
    arms = [{"slug": name, "instructions": f"Work {name}."} for name in ("alone", "together")]
    protocol = ProtocolSettings.model_validate(
        {"batch_size": 6, "judge_kind": "match", "match_rules": "bbeh", "top_size": 1, "arms": arms}
    )
    study = study_create(
        slug=TASKS_SLUG,
        name="Tasks",
        item_bank=None,
        judge_protocol=None,
        settings=protocol,
        now=BEGAN,
        bank_version=bank_import(slug=TASKS_SLUG, reading=reading, strict=True, now=BEGAN).version,
    )
    batches_build(study=study, now=BEGAN, actor=lead)
    study = study_freeze(study=study, now=BEGAN, actor=lead)
    for number in range(2):
        email = f"task{number}@example.org"
        person = participant_add(study=study, email=email, profile="stem-phd", now=BEGAN, actor=lead)
        consent_record(
            participant=participant_approve(participant=person, now=BEGAN), accepted=True, now=BEGAN
        )
        session = session_start(participant=person, now=after(hours=1))
        answers_write(session, number)
        session_submit(session=session, resources=BOOKS, now=after(hours=4))
    study_score_all(study, [], lead)
