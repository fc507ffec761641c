"""Who may see which attachment."""

import uuid
from datetime import datetime

from django.db.models import Exists, OuterRef

from batches.models import Answer
from batches.rules.statuses import SessionStatus
from studies.models import Attachment, User


def attachment_for_user(user: User, token: uuid.UUID, *, as_staff: bool, now: datetime) -> Attachment | None:
    """The attachment, if staff asks or somebody in whose running session its prompt is; None otherwise."""
    attachments = Attachment.objects.filter(token=token)
    if not as_staff:
        working_on_it = Answer.objects.filter(
            prompt=OuterRef("prompt"),
            session__participant__user=user,
            session__status=SessionStatus.ACTIVE,
            session__deadline_at__gte=now,
        )
        attachments = attachments.filter(Exists(working_on_it))
    return attachments.first()
