"""The one guard of what studies share: judges, banks, models' results, judge texts.

Whoever may make studies may add to these. What a locked study rests on changes only by people who may judge
in each such study, and every study that uses it has the change in its trail.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from studies.models import Study, StudyStatus, User
from studies.roles import Can
from studies.selectors.roles import studies_beyond
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused


class UsedByOthers(Refused):
    """Locked studies in which the person may not judge rest on what was to be changed."""


def site_object_change(
    *,
    users: Iterable[Study],
    kind: StudyEventKind,
    refusal: str,
    actor: User | None,
    now: datetime,
    **details: Any,
) -> None:
    """Put a change into the trails of the studies that use what is changed; call it inside its transaction.

    Raises UsedByOthers with the sentence `refusal`, which names the remedy, where `actor` may not judge in
    all of them that are locked. The command line (None) may.
    """
    using = list(users)
    locked = [study for study in using if study.status != StudyStatus.DRAFT]
    if actor is not None and studies_beyond(actor, locked, Can.JUDGE):
        raise UsedByOthers(refusal)
    for study in using:
        event_record(study, kind, now, actor=actor, **details)
