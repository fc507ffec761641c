"""What people are told about how much they store, before and when it is too much."""

from django.conf import settings
from django.utils.translation import gettext as _

from presentation.numbers import numbered

TOLD_FROM_PERCENT = 80


def storage_notice(stored_bytes: int) -> tuple[str, str] | None:
    """A key that changes with what is to be told, and the sentence; None while there is nothing to tell."""
    percent = 100 * stored_bytes // settings.PERSON_BYTES
    if percent >= 100:
        return "full", _(
            "What you may store in this study is used up. Your answers are saved as before; their earlier "
            "versions are no longer kept, and no more files and messages are taken."
        )
    if percent >= TOLD_FROM_PERCENT:
        return "nearly-full", numbered(
            _(
                "You have used more than %(percent)d %% of what you may store in this study. When it is "
                "used up, "
                "your answers are still saved; their earlier versions are no longer kept, and no more "
                "files and messages are taken."
            ),
            {"percent": TOLD_FROM_PERCENT},
        )
    return None
