"""The first administrator of a site: made in the browser by whoever sees the terminal it runs in."""

import secrets
from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from studies.models import FirstRun, User
from studies.selectors.invitations import token_sha256
from studies.services.limits import Limit, limit_take
from studies.services.refusals import Refused
from studies.services.staff.staff import staff_add

LOG = structlog.get_logger("chiron")
VALID_FOR = timedelta(hours=1)
TRIES = Limit("tries of the first-run link", 5, 5 * 60.0)


class FirstRunRefused(Refused):
    """The link is wrong, was used, is too old or replaced: nobody is told which."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "This link does not make an administrator: it is wrong, was used, is older than an hour, or "
                "a newer one was printed. If the site has no administrator yet, end it and start it again: "
                "it prints a new link; otherwise sign in."
            )
        )


class FirstRunTriedTooOften(Refused):
    """Too many tries of links, whoever made them: all come from this machine."""

    def __init__(self) -> None:
        super().__init__(_("Too many tries. Wait five minutes, then try again."))


def first_run_link_draw(*, now: datetime) -> str | None:
    """A new token, valid for an hour, in place of any earlier; None where the site has, or ever had, an
    administrator. Only its hash is stored.
    """
    token = secrets.token_urlsafe(32)
    FirstRun.objects.get_or_create(pk=FirstRun.ONLY)
    drawn = FirstRun.objects.filter(had_administrator=False).update(
        link_sha256=token_sha256(token), link_expires_at=now + VALID_FOR
    )
    return token if drawn else None


def require_first_run(*, token: str, now: datetime) -> None:
    """Raise FirstRunRefused unless the token can be redeemed now. Spends nothing."""
    if not _redeemable(token, now).exists():
        raise FirstRunRefused


def first_run_redeem(*, token: str, email: str, now: datetime) -> User:
    """Make the first administrator; of any number of requests at the same moment one.

    Raises FirstRunTriedTooOften, FirstRunRefused, or what `staff_add` raises; the link is not spent then.
    """
    # Before the transaction that a refusal undoes, so that every try counts.
    if not limit_take(limit=TRIES, whom="", now=now):
        raise FirstRunTriedTooOften
    with transaction.atomic():
        if not _redeemable(token, now).update(had_administrator=True, link_sha256="", link_expires_at=None):
            raise FirstRunRefused
        user = staff_add(email=email, superuser=True)[0]
        LOG.info("the first administrator was made by the first-run page", person=user.pk)
    return user


def _redeemable(token: str, now: datetime) -> QuerySet[FirstRun]:
    return FirstRun.objects.filter(
        had_administrator=False, link_sha256=token_sha256(token), link_expires_at__gt=now
    )
