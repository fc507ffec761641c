"""Two studies alike and the people around one of them, for the table of who may do what."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.utils import timezone

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit, session_withdraw
from batches.services.starting import session_start
from jobs.services.starting import job_start
from judging.models import JudgeConfig, JudgingRun
from judging.services.audits import audit_draw
from scoring.models import ExportFile, JudgeComparison, ResultSet
from scoring.services.measurement import measurement_compute
from studies.bank.records import AttachmentRecord, PromptRecord
from studies.models import Attachment, Invitation, Participant, Prompt, RecruitingLink, Study, User
from studies.roles import Role
from studies.selectors.invitations import token_sha256
from studies.services.people.credentials import credential_add, credential_check, file_kept
from studies.services.people.invitations import invitation_create
from studies.services.people.messages import announcement_make, message_send
from studies.services.people.participants import participant_add
from studies.services.people.recruiting_links import LinkSettings, link_open, link_save
from studies.services.staff.roles import role_give
from tests.support.made_rows import bank_upload_read

EXPORT = {"contents": "internal"}
PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


@dataclass
class Place:
    """One study, and what an address can name in it."""

    study: Study
    session: Session
    ids: dict[str, Any] = field(default_factory=dict)


@dataclass
class World:
    """`cookies`: the session of each role; nobody has none. `media`, `data`: where stored files are."""

    here: Place
    there: Place
    media: Path
    data: Path
    cookies: dict[str, str] = field(default_factory=dict)


def place_of(
    study: Study,
    make_person: Callable[..., Participant],
    judges: tuple[JudgeConfig, ...],
    score: Callable[..., Any],
    lead: User,
) -> Place:
    """People at work and done, a judged and measured run, an audit, a file, an invitation, a message."""
    now = timezone.now()
    for number in range(2):
        done(make_person(study), f"Written-in-answer {number}")
    score(study, *judges, clock=timezone.now)
    busy = make_person(study)
    session = session_start(participant=busy, now=now)
    message_send(participant=busy, text="Said-by-nobody-else", now=now)
    checked = credential_check(name="name-of-a-person.pdf", size=20, content=b"%PDF-1.7 certificate")
    with file_kept(checked) as token:
        credential_add(participant=busy, file=checked, token=token, now=now)
    run = JudgingRun.objects.get(study=study)
    compared = JudgeComparison.objects.filter(first__study=study)
    results = ResultSet.objects.filter(run__study=study).latest("pk")
    measurement_compute(results=results, now=now, resamples=20)
    invitation = invitation_create(
        study=study, email=f"invited-{study.slug}@example.org", profile="stem-phd", now=now
    )
    link = f"link-to-{study.slug}"
    Invitation.objects.filter(pk=invitation.pk).update(token_sha256=token_sha256(link))
    ids = {
        "link": link,
        "entry": recruiting_link(study, lead).token,
        "slug": study.slug,
        "code": busy.code,
        "session_id": session.pk,
        "position": 1,
        "attachment": Attachment.objects.filter(prompt__answers__session=session).latest("pk").token,
        "credential": token,
        "invitation": invitation.pk,
        "announcement": announcement_make(study=study, text="Hello", actor=lead, now=now).pk,
        "run": run.pk,
        "sample": audit_draw(run=run, size=4, seed=1, public_only=False, actor=lead, now=now).pk,
        "agreement_id": next(one.pk for one in compared if one.values.get("cells")),
        "results_id": results.pk,
        "member": lead.pk,
        "judge_texts": study.judge_protocol_id,
        "label": Prompt.objects.filter(version=study.bank_version).latest("pk").label,
        "upload": bank_upload_read(),
        "job_id": job_start(kind="export", study=study, actor=lead, now=now, arguments=EXPORT).pk,
        "file_id": ExportFile.objects.create(
            study=study, contents="internal", rows=1, size=1, sha256="0" * 64, made_at=now
        ).pk,
    }
    return Place(study, session, ids)


def recruiting_link(study: Study, lead: User) -> RecruitingLink:
    now, profile = timezone.now(), study.protocol.profiles[0].slug
    link = link_save(study=study, profile=profile, settings=LinkSettings("PID"), actor=lead, now=now)
    return link_open(link=link, actor=lead, now=now)


def done(person: Participant, text: str) -> None:
    now = timezone.now()
    session = session_start(participant=person, now=now)
    for answer in session.answers.all():
        incoming = IncomingText(text=f"{text} to {answer.position}", base_revision=0, tab="one", sequence=1)
        answer_save(
            user_id=person.user_id,
            session_id=session.pk,
            position=answer.position,
            incoming=incoming,
            now=now,
        )
    session_submit(session=session, resources=DeclaredResources(categories=("Books",), note=""), now=now)


def prompts_with_files(folder: Path) -> list[PromptRecord]:
    prompts = []
    for number in (1, 2):
        content = PNG + b"%d" % number
        (folder / f"{number}.png").write_bytes(content)
        file = AttachmentRecord(
            name="plan.png",
            path=f"{number}.png",
            media_type="image/png",
            size_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        )
        prompts.append(
            PromptRecord(
                prompt_id=f"p{number}",
                text="Asked-of-people?",
                gold_answer="1",
                category="QR",
                attachments=(file,) if number == 1 else (),
            )
        )
    return prompts


def cookies_of(here: Place, there: Place, make_person: Callable[..., Participant]) -> dict[str, str]:
    """One signed-in session a role."""
    now = timezone.now()
    applicant = participant_add(study=here.study, email="applicant@example.org", profile="stem-phd", now=now)
    withdrawn = make_person(here.study)
    session_start(participant=withdrawn, now=now)
    session_withdraw(participant=withdrawn, now=now + timedelta(seconds=1))
    invited = participant_add(study=here.study, email="fresh@example.org", profile="stem-phd", now=now)
    Participant.objects.filter(pk=invited.pk).update(vetting_status="invited")
    colleague = make_person(here.study)
    session_start(participant=colleague, now=now)
    disabled = User.objects.create_user("disabled@example.org", is_staff=True)
    people = {
        "stranger": User.objects.create_user("stranger@example.org"),
        "invited": invited.user,
        "applicant": applicant.user,
        "participant": here.session.participant.user,
        "colleague": colleague.user,
        "elsewhere": there.session.participant.user,
        "withdrawn": withdrawn.user,
        "staff": User.objects.create_user("staff@example.org", is_staff=True),
        **{role.value: team_member(here.study, role) for role in Role},
        "staff-1f": User.objects.create_user("staff1@example.org", is_staff=True),
        "disabled": disabled,
        "superuser": User.objects.create_superuser("super@example.org"),
        "super-1f": User.objects.create_superuser("super1@example.org"),
    }
    cookies = {
        role: session_key(user, second_factor=role in {"staff", "disabled", "superuser", *Role})
        for role, user in people.items()
    }
    # Disabled while signed in: the session of before is what they come with.
    User.objects.filter(pk=disabled.pk).update(is_active=False)
    return cookies


def team_member(study: Study, role: Role) -> User:
    user = User.objects.create_user(f"{role}@team.example.org", is_staff=True)
    role_give(study=study, user=user, role=role, now=timezone.now())
    return user


def session_key(user: User, *, second_factor: bool) -> str:
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    if second_factor:
        request = HttpRequest()
        request.session = store
        record_authentication(request, user, method="mfa", type="totp", reauthenticated=True)
    store.create()
    return str(store.session_key)
