"""Reads of sessions, always on behalf of somebody."""

import uuid
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from batches.models import PAGE_REPORTS, Answer, Revision, Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from studies.models import Attachment, Participant, Study, StudyRole, User
from studies.roles import Can, roles_with
from studies.selectors.private_questions import of_public, studies_seen_whole


def session_of(participant: Participant) -> Session | None:
    """The person's one session, if they have started."""
    return Session.objects.filter(participant=participant).first()


def session_in_study(user_id: int, study: Study) -> Session | None:
    """The one session of this person in the study, if they have started."""
    return Session.objects.filter(participant__user_id=user_id, participant__study=study).first()


def session_for_user(user: User, session_id: uuid.UUID) -> Session | None:
    """The session with its participant and study, or None where it is not this person's."""
    related = ("participant__study", "batch")
    return Session.objects.select_related(*related).filter(pk=session_id, participant__user=user).first()


def session_clock(user: User, session_id: uuid.UUID) -> Session | None:
    """The session with nothing but what tells the time in it, or None where it is not this person's.

    Every open page asks every few seconds, so this is one small query.
    """
    told = ("status", "deadline_at", "extended_seconds")
    return Session.objects.only(*told).filter(pk=session_id, participant__user=user).first()


def answer_at(session: Session, position: int) -> Answer | None:
    """The answer at a place (from 1), with its prompt and the prompt's attachments."""
    return answers_in_full(session).filter(position=position).first()


def answers_in_full(session: Session) -> QuerySet[Answer]:
    """The session's answers in order, each with its prompt and the prompt's attachments."""
    return session.answers.select_related("prompt").prefetch_related("prompt__attachments")


def label_at(session: Session, position: int) -> str:
    """The label of the prompt at a place (from 1); blank where there is none."""
    found = Answer.objects.filter(session=session, position=position)
    return found.values_list("prompt__label", flat=True).first() or ""


def answer_places(session: Session) -> list[Answer]:
    """Every answer of the session as lists show it, in order; one query without any text."""
    shown = (
        "session position first_seen_at revision has_text is_flagged "
        "prompt__prompt_id prompt__label prompt__split"
    )
    return list(session.answers.select_related("prompt").only(*shown.split()))


def attachment_for_user(user: User, token: uuid.UUID, *, as_staff: bool, now: datetime) -> Attachment | None:
    """The attachment, for whoever has its prompt in a running session, and `as_staff` for those who may see
    the bank or read answers in a study on it, where the prompt is one that they see; None otherwise.
    """
    attachments = Attachment.objects.filter(token=token).select_related("prompt__version")
    if as_staff and user.is_superuser:
        return attachments.first()
    working_on_it = Answer.objects.filter(
        prompt=OuterRef("prompt"),
        session__participant__user=user,
        session__status=SessionStatus.ACTIVE,
        session__deadline_at__gte=now,
    )
    may_see = Q(Exists(working_on_it))
    if as_staff:
        reading = StudyRole.objects.filter(user=user, role__in=roles_with(Can.SEE_ANSWERS, Can.REVIEW))
        reads = Q(Exists(reading.filter(study__bank_version=OuterRef("prompt__version"))))
        may_see |= of_public("prompt") & (Q() if user.may_create_studies else reads)
        may_see |= Q(prompt__version__in=studies_seen_whole(user).values("bank_version"))
    return attachments.filter(may_see).first()


def works_on(user: User, attachment: Attachment) -> bool:
    """Whether the person has the attachment's prompt in a session of theirs."""
    return Answer.objects.filter(prompt=attachment.prompt_id, session__participant__user=user).exists()


def ended_too_early(session: Session, now: datetime) -> bool:
    """Whether the session expired although its deadline was ahead.

    It still is; or something was recorded after the expiry, in whatever session, at an earlier time than the
    deadline. Events are numbered as they are written.
    """
    expired = _expiry(session)
    if session.status != SessionStatus.EXPIRED or expired is None:
        return False
    later = SessionEvent.objects.filter(pk__gt=expired.pk, recorded_at__lt=session.deadline_at)
    return now < session.deadline_at or later.exists()


def last_activity(session: Session) -> datetime:
    """The last time before the deadline at which the person is known to have used the session.

    What a page said of itself does not count: no claim moves a clock.
    """
    expired = _expiry(session)
    before = session.events.exclude(kind__in=(SessionEventKind.EXPIRED, *PAGE_REPORTS))
    if expired is not None:
        before = before.filter(pk__lt=expired.pk)
    told = session.events.filter(kind=SessionEventKind.SEEN_OFFLINE)
    seen = session.answers.exclude(first_seen_at__in=told.values("happened_at"))
    moments = [
        session.started_at,
        *before.values_list("recorded_at", flat=True),
        *Revision.objects.filter(answer__session=session).values_list("received_at", flat=True),
        *seen.values_list("first_seen_at", flat=True),
    ]
    return max(moment for moment in moments if moment and moment <= session.deadline_at)


def _expiry(session: Session) -> SessionEvent | None:
    return session.events.filter(kind=SessionEventKind.EXPIRED).order_by("pk").last()
