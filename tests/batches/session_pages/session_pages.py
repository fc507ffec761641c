"""What a participant's page shows, and a session whose time is over."""

import re
from datetime import timedelta
from typing import Any

from django.utils import timezone

from batches.models import Session


def end_ago(session: Session, seconds: int) -> None:
    deadline_at = timezone.now() - timedelta(seconds=seconds)
    Session.objects.filter(pk=session.pk).update(
        started_at=deadline_at - timedelta(hours=5), deadline_at=deadline_at
    )


def text_of(reply: Any) -> str:
    """What the page says, without tags and with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode()))
