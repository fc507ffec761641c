"""Messages between a participant and the study team, and the team's notices to the people of a study."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from presentation.numbers import numbered
from studies.models import Announcement, Audience, MailKind, Message, Participant, Study, User
from studies.services.events import StudyEventKind, event_record, is_erased, participant_event
from studies.services.mails.study_mails import participant_mail_queue
from studies.services.people.participants import participant_lock
from studies.services.people.vetting_mails import participant_mail
from studies.services.refusals import Refused
from studies.services.storage import storage_take
from studies.services.studies import study_lock
from studies.services.twice import made_just_now

MESSAGES_PER_HOUR = 20


class TooManyMessages(Refused):
    """The person has written very often within the last hour."""


class ConversationOver(Refused):
    """The person's data were deleted; whatever was written now would be deleted, too, within a day."""


@transaction.atomic
def message_send(
    *,
    participant: Participant,
    text: str,
    page: str = "",
    prompt_label: str = "",
    session_reference: str = "",
    now: datetime,
) -> Message:
    """Write to the study team; `page`, `prompt_label` and `session_reference` say where the person was.

    Raises TooManyMessages, ConversationOver or StorageFull.
    """
    # One at a time for each person: two requests of one moment must not both find the last free place.
    participant = participant_lock(participant)
    if is_erased(participant):
        raise ConversationOver(
            _(
                "Your data were deleted after you withdrew, so no message is kept here any more. Please "
                "write to the contact named on this page."
            )
        )
    recent = participant.messages.filter(is_from_team=False, sent_at__gt=now - timedelta(hours=1))
    if recent.count() >= MESSAGES_PER_HOUR:
        raise TooManyMessages(
            numbered(
                _(
                    "You have sent %(number)d messages within an hour, so this one was not sent. Your "
                    "text is still here; please send it later."
                ),
                {"number": MESSAGES_PER_HOUR},
            )
        )
    storage_take(participant=participant, size=len(text.encode()))
    message = Message.objects.create(
        participant=participant,
        is_from_team=False,
        author=participant.user,
        text=text,
        page=page,
        prompt_label=prompt_label,
        session_reference=session_reference,
        sent_at=now,
    )
    participant_event(
        participant, StudyEventKind.MESSAGE_SENT, now, actor=participant.user, message=message.pk
    )
    return message


@transaction.atomic
def message_answer(
    *, participant: Participant, text: str, actor: User, now: datetime, site_url: str | None = None
) -> Message:
    """Write to a participant for the study team. Raises ConversationOver.

    They are mailed it, too, where `site_url` says where people reach the site. What the same author wrote
    within the last minute is not written once more where nothing came after it: that one is given back.
    """
    participant = participant_lock(participant)
    if is_erased(participant):
        raise ConversationOver(
            _(
                "The data of %(code)s were deleted after a withdrawal, so no message is kept here any more. "
                "Write to their address instead."
            )
            % {"code": participant.code}
        )
    if repeated := made_just_now(
        participant.messages.all(), moment="sent_at", now=now, is_from_team=True, author=actor, text=text
    ):
        return repeated
    message = Message.objects.create(
        participant=participant, is_from_team=True, author=actor, text=text, sent_at=now
    )
    details = {"message": message.pk}
    if site_url is not None:
        written = participant_mail(participant, "reply", {"text": text}, site_url)
        if mail := participant_mail_queue(participant, written, now, kind=MailKind.REPLY):
            details["mail"] = mail.pk
    participant_event(participant, StudyEventKind.MESSAGE_ANSWERED, now, actor=actor, **details)
    return message


@transaction.atomic
def announcement_make(
    *,
    study: Study,
    text: str,
    audience: Audience = Audience.IN_SESSION,
    batch_number: int | None = None,
    prompt_label: str = "",
    actor: User,
    now: datetime,
) -> Announcement:
    """Show a text from now on to the participants who belong to the audience, while they do.

    `batch_number` and `prompt_label` narrow it to those with this question set, and with this question in
    their set. What the same author announced to the same people just before is not announced once more:
    that one is given back.
    """
    study = study_lock(study)
    facts: dict[str, Any] = {
        "text": text, "audience": audience, "batch_number": batch_number, "prompt_label": prompt_label,
        "made_by": actor,
    }  # fmt: skip
    announcements = Announcement.objects.filter(study=study)
    if made := made_just_now(announcements, moment="made_at", now=now, withdrawn_at=None, **facts):
        return made
    announcement = Announcement.objects.create(study=study, **facts, made_at=now)
    narrowed: dict[str, Any] = {"batch": batch_number, "prompt": prompt_label}
    event_record(
        study,
        StudyEventKind.ANNOUNCED,
        now,
        actor=actor,
        announcement=announcement.pk,
        audience=audience,
        **{name: value for name, value in narrowed.items() if value},
    )
    return announcement


@transaction.atomic
def announcement_withdraw(*, announcement: Announcement, actor: User, now: datetime) -> bool:
    """Take an announcement back; False, and nothing changed, where that was done before."""
    standing = Announcement.objects.filter(pk=announcement.pk, withdrawn_at=None)
    if not standing.update(withdrawn_at=now):
        return False
    kind = StudyEventKind.ANNOUNCEMENT_WITHDRAWN
    event_record(announcement.study, kind, now, actor=actor, announcement=announcement.pk)
    return True
