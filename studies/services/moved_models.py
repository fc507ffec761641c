"""Models that change their app: rows of content types go along, and with them permissions and the log."""

from collections.abc import Sequence
from typing import Any


def content_types_move(apps: Any, models: Sequence[str], *, old: str, new: str) -> None:
    """Give the content types of these models (in small letters) from the app `old` to the app `new`.

    A page or a migration in between may have made a row under the new app already: what hangs on it is
    given to the row that moves, which keeps its key. `apps` is the registry of a migration's state.
    """
    types = apps.get_model("contenttypes", "ContentType").objects
    for model in models:
        kept = types.filter(app_label=old, model=model).first()
        if kept is None:
            continue
        if (stray := types.filter(app_label=new, model=model).first()) is not None:
            _take_over(apps, stray, kept)
            stray.delete()
        kept.app_label = new
        kept.save()


def _take_over(apps: Any, stray: Any, kept: Any) -> None:
    apps.get_model("admin", "LogEntry").objects.filter(content_type=stray).update(content_type=kept)
    permissions = apps.get_model("auth", "Permission").objects
    for permission in permissions.filter(content_type=stray):
        own = permissions.filter(content_type=kept, codename=permission.codename).first()
        if own is None:
            permission.content_type = kept
            permission.save()
            continue
        own.group_set.add(*permission.group_set.all())
        own.user_set.add(*permission.user_set.all())
        permission.delete()
