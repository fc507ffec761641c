"""How often somebody may do something: counted in the database, atomically.

Not in a cache: parallel requests cannot pass together what each alone may pass, and neither an emptied cache
nor one that is down lets anybody through or keeps anybody out.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.utils.crypto import salted_hmac

from studies.models import LimitedUse


@dataclass(frozen=True)
class Limit:
    """At most `amount` times within `seconds`, which begin with the first time."""

    name: str
    amount: int
    seconds: float


@transaction.atomic
def limit_take(*, limit: Limit, whom: str, now: datetime) -> bool:
    """Count one more time, or say that no more is allowed. `whom` is stored as a keyed hash only."""
    key = _key(limit, whom)
    ends_at = now + timedelta(seconds=limit.seconds)
    # The row is there and locked from here on, whoever makes or deletes it at this moment.
    LimitedUse.objects.bulk_create(
        [LimitedUse(key=key, used=0, ends_at=ends_at)],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["key"],
    )
    over = Q(ends_at__lte=now)
    free = LimitedUse.objects.filter(over | Q(used__lt=limit.amount), key=key)
    taken = free.update(
        used=Case(When(over, then=Value(1)), default=F("used") + 1),
        ends_at=Case(When(over, then=Value(ends_at)), default=F("ends_at")),
    )
    return taken == 1


def limit_forget(*, limit: Limit, whom: str) -> None:
    """Count from the beginning again."""
    LimitedUse.objects.filter(key=_key(limit, whom)).delete()


def limits_tidy(*, now: datetime) -> None:
    """Delete what counts no more."""
    LimitedUse.objects.filter(ends_at__lte=now).delete()


def _key(limit: Limit, whom: str) -> str:
    return salted_hmac("chiron.limits", f"{limit.name} {whom}", algorithm="sha256").hexdigest()
