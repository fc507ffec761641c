"""What signing in keeps: mails on their way, uses of what is limited, and a little of each sign-in.

Of a sign-in: since when, last used when, in which browser; no network address. Its rows are allauth's, which
fills them from the request with more than anybody here needs.
"""

from typing import Any

from django.apps import apps
from django.db import models
from django.db.models.signals import post_delete, pre_save
from django.dispatch import receiver


class OutgoingMail(models.Model):
    """A mail that a worker sends; the row goes when it is sent or too old, for it may hold a sign-in code.

    One that is `discarded` would go to an address without an account: it is stored like all others, so that
    nobody can tell by the reply, and never sent. A worker that takes a mail moves its `due_at` ahead.
    `invitation` is the one whose link it carries: what becomes of the mail is noted there.
    """

    to = models.EmailField()
    subject = models.TextField()
    body = models.TextField()
    html = models.TextField(blank=True)
    # As in the mail's header; blank: the site's own, and no other address for answers.
    sender = models.CharField(max_length=400, blank=True)
    reply_to = models.EmailField(blank=True)
    discarded = models.BooleanField(default=False)
    due_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    invitation = models.ForeignKey(
        "studies.Invitation", on_delete=models.CASCADE, null=True, related_name="mails"
    )

    def __str__(self) -> str:
        return f"mail {self.pk}"


class LimitedUse(models.Model):
    """How often something limited was done until `ends_at`. Its key is a hash that does not tell by whom."""

    key = models.CharField(max_length=64, unique=True)
    used = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.used} until {self.ends_at}"


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


@receiver(pre_save, sender="usersessions.UserSession")
def strip_sign_in_details(instance: Any, **_: Any) -> None:
    """Of the browser what its owner calls it, such as "Firefox, Linux"; nothing for what is not known."""
    header = instance.user_agent
    known = (next((names[mark] for mark in names if mark in header), "") for names in (BROWSERS, SYSTEMS))
    instance.ip, instance.user_agent = NO_ADDRESS, ", ".join(filter(None, known))


@receiver(post_delete, sender="sessions.Session")
def session_deleted(instance: Any, **_: Any) -> None:
    """Signing out, a new key and clearing what is expired all delete the session."""
    sign_ins = apps.get_model("usersessions", "UserSession")  # its app is loaded after this one
    sign_ins.objects.filter(session_key=instance.session_key).delete()
