"""Numbers over a large study that are kept until anything happens: reading every answer takes too long.

Every change of state leaves a row in a trail, and rows are only ever added there: as long as no trail of the
site is longer, what follows from them alone is the same.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Exists, Model, Subquery

from batches.models import SessionEvent
from screening.models import AnswerFlag, ParticipantFlag, ScreeningRun, Verdict
from studies.models import Participant, Study, StudyEvent

T = TypeVar("T")
TRAILS: tuple[type[Model], ...] = (
    SessionEvent, StudyEvent, Verdict, AnswerFlag, ParticipantFlag, ScreeningRun,
)  # fmt: skip
LARGE = 5_000  # people, or rows of a judging run; the numbers of smaller ones are read each time
KEPT_SECONDS = 60  # of two rows at once the later may be seen first: nothing is behind for longer than this


def is_large(study: Study) -> Exists:
    """Whether the numbers of this study are kept, for a query."""
    return Exists(Participant.objects.filter(study=study)[LARGE : LARGE + 1])


def kept(
    name: str,
    study: Study,
    reckon: Callable[[], T],
    *,
    also: tuple[type[Model], ...] = (),
    at_any_size: bool = False,
) -> T:
    """What `reckon` gives, or gave since which none of the trails, and of the tables of `also`, has grown.

    `name` says what it is. It must follow from rows that are in no running session, and tell no time.
    `at_any_size`: it takes long over a small study as well. One query more.
    """
    tables = (*TRAILS, *also)
    newest = [Subquery(table._default_manager.order_by("-pk").values("pk")[:1]) for table in tables]
    large, *mark = Study.objects.filter(pk=study.pk).values_list(is_large(study), *newest).get()
    if not (large or at_any_size):
        return reckon()
    words = (name, study.pk, study.created_at, study.protocol_hash, mark)
    key = "kept:" + sha256(repr(words).encode()).hexdigest()
    found: tuple[T] | None = cache.get(key)
    if found is None:
        found = (reckon(),)
        cache.set(key, found, KEPT_SECONDS)
    return found[0]
