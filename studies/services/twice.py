"""A button pressed twice does its work once."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

WITHIN = timedelta(minutes=1)
Row = TypeVar("Row", bound=Model)


def made_just_now(rows: QuerySet[Row], *, moment: str, now: datetime, **same: Any) -> Row | None:
    """The newest of `rows`, where it is `same` and at its `moment`, a field, less than a minute was to go to
    `now`: then it is this one that is asked for once more. None where something new is to be made.

    To be called under a lock that whoever makes such rows takes, or two of one moment see nothing of each
    other.
    """
    newest = rows.order_by("pk").last()
    if newest is None or getattr(newest, moment) <= now - WITHIN:
        return None
    return newest if all(getattr(newest, name) == value for name, value in same.items()) else None
