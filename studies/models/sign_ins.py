"""What is kept of a sign-in: since when, last used when, in which browser; no network address.

The rows are allauth's, which fills them from the request with more than anybody here needs.
"""

from typing import Any

from django.db.models.signals import post_delete, pre_save
from django.dispatch import receiver

NO_ADDRESS = "0.0.0.0"  # noqa: S104  # the column must hold something
# The first that occurs in a User-Agent header names it: later ones occur in the headers of earlier ones.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "macOS": "macOS",
    "Linux": "Linux",
}


def browser_name(user_agent: str) -> str:
    """What its owner calls it, such as "Firefox, Linux"; nothing for what is not known."""
    found = (
        next((name for mark, name in names.items() if mark in user_agent), "")
        for names in (BROWSERS, SYSTEMS)
    )
    return ", ".join(name for name in found if name)


@receiver(pre_save, sender="usersessions.UserSession")
def strip_sign_in_details(instance: Any, **_: Any) -> None:
    instance.ip = NO_ADDRESS
    instance.user_agent = browser_name(instance.user_agent)


@receiver(post_delete, sender="sessions.Session")
def session_deleted(instance: Any, **_: Any) -> None:
    """Signing out, a new key and clearing what is expired all delete the session."""
    from allauth.usersessions.models import UserSession  # its app is loaded after this one

    UserSession.objects.filter(session_key=instance.session_key).delete()
