"""Previews of answers: nothing is stored, but whoever asks for many costly ones would slow down everybody."""

import time
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _

from studies.rendering import markdown
from studies.services.limits import Limit, limit_forget, limit_take
from studies.services.refusals import Refused

# One at a time for each person, and after one that took long a pause of this many times as long.
REST = 10
ONE = Limit("preview", 1, 30)
"""A preview that a stopped server left unfinished keeps nobody from another one for longer than this."""


class PreviewRefused(Refused):
    """This person's last preview has just been made, or still is."""


def answer_preview(*, user_id: int, text: str, now: datetime) -> str:
    """The text as safe HTML. Raises PreviewRefused."""
    whom = str(user_id)
    if not limit_take(limit=ONE, whom=whom, now=now):
        raise PreviewRefused(
            _("The last preview took long to make. Wait a few seconds, then open the preview again.")
        )
    started = time.thread_time()
    try:
        return markdown(text, keeps_lines=True)
    finally:
        limit_forget(limit=ONE, whom=whom)
        if rest := int(REST * (time.thread_time() - started)):
            limit_take(limit=replace(ONE, seconds=rest), whom=whom, now=now)
