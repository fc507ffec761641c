"""Make people whose time runs, is over, or comes: `python -m tests.faults.make_people_at_work`.

The clock is looked at first, while it is right. Prints the participants' ids by what they are, as JSON.
"""

import json
import sys
from datetime import datetime, timedelta

import django

django.setup()

from django.utils import timezone  # noqa: E402

from batches.services.clock import ending_moment  # noqa: E402
from batches.services.ending import session_withdraw  # noqa: E402
from batches.services.starting import session_start  # noqa: E402
from studies.clock import Ending  # noqa: E402
from studies.models import Participant  # noqa: E402
from tests.faults.make_study import person_of, study_of  # noqa: E402

BUDGET = timedelta(hours=5)


def main() -> None:
    now = ending_moment(Ending.SESSIONS)
    assert abs(now - timezone.now()) < timedelta(seconds=30)
    earlier = now - timedelta(days=60)
    study = study_of("worked-in", 20, 2, earlier)
    people: dict[str, list[int]] = {
        "live": [],
        "overdue": [],
        "due": [],
        "due_later": [],
        "new": [],
        "leaves": [],
    }

    def add(kind: str) -> Participant:
        person = person_of(study, sum(map(len, people.values())), earlier)
        people[kind].append(person.pk)
        return person

    def left(kind: str, at: datetime) -> None:
        session_withdraw(participant=add(kind), now=at, reason="Mine")

    days = timedelta(days=study.protocol.deletion_days)
    # The last of them has ten minutes left.
    for minutes in (0, 120, 290):
        session_start(participant=add("live"), now=now - timedelta(minutes=minutes))
    session_start(participant=add("overdue"), now=now - BUDGET - timedelta(minutes=2))
    left("due", now - days)
    # A clock an hour ahead would not delete these, one a day ahead would.
    left("due_later", now - days + timedelta(hours=12))
    for kind in ("new", "new", "leaves", "leaves"):
        add(kind)
    sys.stdout.write(json.dumps(people))


if __name__ == "__main__":
    main()
