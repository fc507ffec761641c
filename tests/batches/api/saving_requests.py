"""Requests that a prompt page sends."""

import json
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from batches.models import Session


def body(text: str = "an answer", **changes: object) -> dict[str, object]:
    return {"text": text, "base_revision": 0, "tab": "tab-a", "sequence": 1, **changes}


def post(client: Client, session: Session, content: object, position: int = 1, csrf: str = "") -> Any:
    address = f"/api/sessions/{session.pk}/answers/{position}"
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    return client.post(address, data=text, content_type="application/json", headers={"X-CSRFToken": csrf})


def end_ago(session: Session, seconds: int) -> None:
    """Move the session so that its time ended this long ago."""
    deadline_at = timezone.now() - timedelta(seconds=seconds)
    Session.objects.filter(pk=session.pk).update(
        started_at=deadline_at - timedelta(hours=5), deadline_at=deadline_at
    )
