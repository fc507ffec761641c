"""A lease: which process works on a row, and until when, so that others go on where it dies.

Of a model with the fields `lease` and `leased_until`. Whoever holds the lease of a row renews it in time;
whoever holds another one says nothing more about it. The machines' clocks must agree within a few seconds.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Model, Q, QuerySet


def lease_free(now: datetime) -> Q:
    """Rows that nobody works on, or whose worker died."""
    return Q(lease=None) | Q(leased_until__lte=now)


def lease_take(rows: QuerySet[Model], *, now: datetime, length: timedelta, **changes: Any) -> UUID | None:
    """The lease of a row that is free at this moment; None where it is not."""
    token = uuid4()
    free = rows.filter(lease_free(now))
    return token if free.update(lease=token, leased_until=now + length, **changes) else None


def lease_renew(
    rows: QuerySet[Model], token: UUID, *, now: datetime, length: timedelta, **changes: Any
) -> bool:
    """Hold the lease for another term; False where the row is somebody else's by now.

    Late is not too late as long as nobody else took the row.
    """
    return bool(rows.filter(lease=token).update(leased_until=now + length, **changes))


def lease_release(rows: QuerySet[Model], token: UUID, **changes: Any) -> bool:
    """Let others take the row at once; False where it is somebody else's by now."""
    return bool(rows.filter(lease=token).update(lease=None, leased_until=None, **changes))
