"""Previews of answers: nothing is stored, but whoever asks for many costly ones would slow down everybody."""

import time

from django.core.cache import cache
from django.utils.translation import gettext as _

from studies.rendering import markdown
from studies.services.refusals import Refused

# One at a time for each person, and after one that took long a pause of this many times as long.
REST = 10
LONGEST_SECONDS = 30
"""A preview that a stopped server left unfinished keeps nobody from another one for longer than this."""


class PreviewRefused(Refused):
    """This person's last preview has just been made, or still is."""


def answer_preview(*, user_id: int, text: str) -> str:
    """The text as safe HTML. Raises PreviewRefused."""
    key = f"preview-{user_id}"
    if not cache.add(key, True, timeout=LONGEST_SECONDS):
        raise PreviewRefused(
            _("The last preview took long to make. Wait a few seconds, then open the preview again.")
        )
    started = time.thread_time()
    try:
        return markdown(text)
    finally:
        rest = int(REST * (time.thread_time() - started))
        if rest:
            cache.set(key, True, timeout=rest)
        else:
            cache.delete(key)
