"""Notices of the study team to the people of a study."""

from datetime import datetime

from django.db import transaction

from studies.models import Announcement, Audience, Study, User
from studies.services.events import StudyEventKind, event_record


@transaction.atomic
def announcement_make(
    *, study: Study, text: str, audience: Audience = Audience.IN_SESSION, actor: User, now: datetime
) -> Announcement:
    """Show a text from now on to the participants who belong to the audience, while they do."""
    announcement = Announcement.objects.create(
        study=study, text=text, audience=audience, made_by=actor, made_at=now
    )
    kind = StudyEventKind.ANNOUNCED
    event_record(study, kind, now, actor=actor, announcement=announcement.pk, audience=audience)
    return announcement


@transaction.atomic
def announcement_withdraw(*, announcement: Announcement, actor: User, now: datetime) -> bool:
    """Take an announcement back; False, and nothing changed, where that was done before."""
    shown = Announcement.objects.filter(pk=announcement.pk, withdrawn_at=None)
    if not shown.update(withdrawn_at=now):
        return False
    kind = StudyEventKind.ANNOUNCEMENT_WITHDRAWN
    event_record(announcement.study, kind, now, actor=actor, announcement=announcement.pk)
    return True
