"""Numbers over the answers of many sessions: from the sums of those that are counted (`services.sums`), and
from the answers of the others. Where these are two queries they see one moment: a session that is counted
between them would be in both.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.db.models import (
    Aggregate,
    Case,
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Length, Replace

from batches.models import Answer, BatchPrompt, Session
from batches.rules.statuses import SessionStatus
from batches.rules.sums import LETTERS, WRITTEN
from studies.models import Study
from studies.services.database import snapshot


class Joined(Aggregate):
    """The texts of all rows in one, with a separator between them."""

    template = "STRING_AGG(%(expressions)s)"
    output_field = TextField()

    def __init__(self, text: str, separator: str) -> None:
        super().__init__(F(text), Value(separator, output_field=TextField()))

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="GROUP_CONCAT(%(expressions)s)", **context)


def counting() -> Q:
    """Whether the written answers of a session count, test people left out: the database's form of
    `rules.statuses.counts`.
    """
    saved = Q(status=SessionStatus.EXPIRED, overdue_rule="saved_counts")
    return (Q(status=SessionStatus.SUBMITTED) | saved) & Q(participant__is_test=False)


def sessions_to_score(study: Study) -> QuerySet[Session]:
    """Sessions whose written answers count."""
    return Session.objects.filter(counting(), participant__study=study)


def answers_written(session: str = "") -> Case:
    """The number of answers with text of a session, `session` being the path to it; its answers are looked
    at only where it is not counted.
    """
    states, counted_at = f"{session}answer_states", f"{session}counted_at"
    answers = Answer.objects.filter(session=OuterRef(f"{session}pk"), has_text=True).order_by()
    number = answers.annotate(number=Func(F("pk"), function="COUNT", output_field=IntegerField()))
    others = Length(Replace(states, Value(WRITTEN), Value("")))
    return Case(
        When(**{f"{session}pk": None}, then=Value(0)),
        When(**{f"{counted_at}__isnull": False}, then=Length(states) - others),
        default=Subquery(number.values("number")),
        output_field=IntegerField(),
    )


def has_written(session: str = "") -> Q:
    """Whether a session has an answer with text; `session` is the path to it."""
    written = Answer.objects.filter(session=OuterRef(f"{session}pk"), has_text=True)
    not_counted = Q(**{f"{session}counted_at": None})
    counted = ~not_counted & Q(**{f"{session}answer_states__contains": WRITTEN})
    return counted | not_counted & Q(Exists(written))


def number_written(sessions: QuerySet[Session]) -> int:
    """The number of answers with text of all these sessions; one query."""
    number: int = sessions.order_by().aggregate(number=Coalesce(Sum(answers_written()), 0))["number"]
    return number


@snapshot()
def written_by_prompt(study: Study, sessions: QuerySet[Session]) -> Counter[int]:
    """How many of these sessions of the study have a text for each prompt, by its key; three queries."""
    others = Answer.objects.filter(session__in=_others(sessions), has_text=True).order_by()
    found = Counter(dict(others.values_list("prompt").annotate(number=Count("pk"))))
    for prompts, (letters,) in _counted(study, sessions, Joined("answer_states", "")):
        for place, prompt in enumerate(prompts):
            found[prompt] += letters[place :: len(prompts)].count(WRITTEN)
    return +found


@snapshot()
def written_and_seconds(study: Study, sessions: QuerySet[Session]) -> tuple[Counter[int], dict[int, float]]:
    """The same, and the mean time from the first view of a prompt to the last save of an answer with text, by
    the prompt's key; three queries.
    """
    timed = Q(first_seen_at__isnull=False, saved_at__gte=F("first_seen_at"))
    others = Answer.objects.filter(session__in=_others(sessions), has_text=True).order_by()
    rows = others.values_list("prompt").annotate(
        number=Count("pk"),
        n=Count("pk", filter=timed),
        took=Sum(F("saved_at") - F("first_seen_at"), filter=timed),
    )
    written: Counter[int] = Counter()
    times: dict[int, tuple[int, float]] = {}
    for prompt, number, n, took in rows:
        written[prompt] = number
        times[prompt] = (n, took.total_seconds() if took else 0.0)
    joined = Joined("answer_states", ""), Joined("answer_seconds", ",")
    for prompts, (letters, texts) in _counted(study, sessions, *joined):
        seconds = list(map(float, texts.split(",")))
        for place, prompt in enumerate(prompts):
            known = [one for one in seconds[place :: len(prompts)] if not math.isnan(one)]
            written[prompt] += letters[place :: len(prompts)].count(WRITTEN)
            n, total = times.get(prompt, (0, 0.0))
            times[prompt] = (n + len(known), total + math.fsum(known))
    return +written, {prompt: total / n for prompt, (n, total) in times.items() if n}


def letters_by_set(
    study: Study, sessions: QuerySet[Session], prompts: Collection[int] | None, *facts: str
) -> Iterator[tuple[tuple[Any, ...], Counter[str]]]:
    """The letters of these sessions that are counted, with the `facts` their sessions have in common: those
    of these prompts, or of all. Two queries.
    """
    for places, (*held, letters) in _counted(study, sessions, *facts, Joined("answer_states", "")):
        wanted = [
            letters[place :: len(places)]
            for place, prompt in enumerate(places)
            if prompts is None or prompt in prompts
        ]
        yield tuple(held), +Counter({one: sum(own.count(one) for own in wanted) for one in LETTERS.values()})


def _others(sessions: QuerySet[Session]) -> QuerySet[Session, Any]:
    return sessions.filter(counted_at=None).order_by().values("pk")


def _counted(
    study: Study, sessions: QuerySet[Session], *columns: Any
) -> Iterator[tuple[Sequence[int], Sequence[Any]]]:
    """The prompts of each set in the order of the sums, and these columns of its sessions that are counted:
    names to group by, then what is joined over them.
    """
    names = [one for one in columns if isinstance(one, str)]
    joined = {f"joined_{n}": one for n, one in enumerate(columns) if not isinstance(one, str)}
    places: dict[int, list[int]] = defaultdict(list)
    placed = BatchPrompt.objects.filter(batch__plan__study=study).order_by("prompt")
    for batch, prompt in placed.values_list("batch", "prompt"):
        places[batch].append(int(prompt))
    counted = sessions.exclude(counted_at=None).exclude(answer_states="").order_by()
    rows = counted.values("batch", *names).annotate(**joined).values_list("batch", *names, *joined)
    for batch, *values in rows:
        yield places[batch], values
