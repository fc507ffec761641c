"""Everything stored about a person in a study, for that person: no prompt texts and no scores.

Of an arm it holds the instructions that the person was given: its name would tell what is compared.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from allauth.mfa.models import Authenticator
from django.db.models import QuerySet

from batches.models import Answer, PracticeClock, Revision, Session, SessionContact, SessionEvent
from batches.selectors.sessions import session_of
from studies.models import Invitation, Participant, PlatformEntry, StudyEvent

DRAFT_FACTS = "text note confidence is_flagged revision first_seen_at saved_at"
ANSWER_FACTS = ("position", *DRAFT_FACTS.split())
REVISION_FACTS = ("number", "outcome", "text", "note", "confidence", "tab", "sequence", "received_at")
SESSION_FACTS = (
    "started_at deadline_at ended_at status overdue_rule extended_seconds resources resources_note "
    "resources_recorded_at"
).split()
CONTACT_FACTS = (
    "device heard_at is_hidden clock_off_seconds failed_saves lost_seconds trouble_since trouble_ended_at "
    "other_device_at"
)
PROMPT_TEXTS = ("prompt__text", "prompt__gold_answer", "prompt__solution", "prompt__citations")
AT_ONCE = 50


def own_facts(participant: Participant) -> dict[str, object]:
    """All of it but the answers, which may be long."""
    # Also those that were revoked before the one that was accepted.
    invitations = Invitation.objects.filter(study=participant.study, email=participant.user.email)
    tables: dict[str, tuple[QuerySet[Any], str]] = {
        "invitations": (
            invitations.order_by("pk"),
            "email name profile created_at sent_at revoked_at accepted_at",
        ),
        "recruiting_platform": (
            PlatformEntry.objects.filter(participant=participant),
            "platform_participant platform_study platform_session entered_at",
        ),
        "profile_forms": (participant.profile_forms.order_by("pk"), "answers submitted_at"),
        "files": (participant.credentials.order_by("pk"), "name media_type size_bytes sha256 uploaded_at"),
        "consents": (participant.consents.order_by("pk"), "accepted text recorded told sha256 decided_at"),
        "check_attempts": (participant.check_tries.all(), "choices correct passed attempted_at"),
        "practice": (participant.practice_answers.order_by("number"), f"number {DRAFT_FACTS}"),
        "practice_clock": (PracticeClock.objects.filter(participant=participant), "started_at"),
        "open_page": (
            SessionContact.objects.filter(session__participant=participant),
            CONTACT_FACTS,
        ),
        "messages": (
            participant.messages.all(),
            "is_from_team text page prompt_label session_reference sent_at",
        ),
    }
    session = session_of(participant)
    return {
        "study": {"name": participant.study.name, "address": participant.study.slug},
        "person": _person(participant),
        **{name: list(rows.values(*facts.split())) for name, (rows, facts) in tables.items()},
        "session": _session(session) if session else None,
        "events": _events(participant),
    }


def own_answers(participant: Participant) -> Iterator[Answer]:
    """The person's answers in order, one in memory at a time."""
    answers = Answer.objects.filter(session__participant=participant).select_related("session", "prompt")
    return answers.defer(*PROMPT_TEXTS).order_by("position").iterator(1)


def own_revisions(answer: Answer) -> Iterator[Mapping[str, object]]:
    """Every text that arrived for the answer, accepted or not, in the order it came."""
    rows = Revision.objects.filter(answer=answer).order_by("pk")
    return iter(rows.values(*REVISION_FACTS).iterator(AT_ONCE))


def _person(participant: Participant) -> dict[str, object]:
    passkeys = []
    for key in Authenticator.objects.filter(user=participant.user):
        is_named = key.type == Authenticator.Type.WEBAUTHN
        name = key.wrap().name if is_named else key.get_type_display()
        passkeys.append({"name": name, "added_at": key.created_at, "last_used_at": key.last_used_at})
    return {
        "code": participant.code,
        "address": participant.user.email,
        "last_signed_in_at": participant.user.last_login,
        "passkeys": passkeys,
        "profile": participant.profile,
        "vetting_status": participant.vetting_status,
        "vetting_reason": participant.vetting_reason,
        "test_run": participant.is_test,
        "extra_minutes": participant.extra_minutes,
        "submitted_at": participant.submitted_at,
    }


def _session(session: Session) -> dict[str, object]:
    return {
        "reference": session.reference,
        "batch": session.batch.number,
        "own_instructions": session.participant.study.protocol.arm_instructions(session.arm),
        **{name: getattr(session, name) for name in SESSION_FACTS},
    }


def _events(participant: Participant) -> list[Mapping[str, object]]:
    of_study = StudyEvent.objects.filter(participant=participant)
    of_session = SessionEvent.objects.filter(session__participant=participant)
    events = [
        *of_study.order_by("pk").values("kind", "details", "happened_at"),
        *of_session.order_by("pk").values("kind", "details", "happened_at", "recorded_at"),
    ]
    for event in events:
        event["details"].pop("arm", None)
    return list(events)
