"""What signing in keeps for a while: mails on their way, and how often limited things were done."""

from django.db import models


class OutgoingMail(models.Model):
    """A mail that a worker sends; the row goes when it is sent or too old, for it may hold a sign-in code.

    One that is `discarded` would go to an address without an account: it is stored like all others, so that
    nobody can tell by the reply, and never sent. A worker that takes a mail moves its `due_at` ahead.
    """

    to = models.EmailField()
    subject = models.TextField()
    body = models.TextField()
    discarded = models.BooleanField(default=False)
    due_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"mail {self.pk}"


class LimitedUse(models.Model):
    """How often something limited was done until `ends_at`. Its key is a hash that does not tell by whom."""

    key = models.CharField(max_length=64, unique=True)
    used = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.used} until {self.ends_at}"
