"""How the places of a study fill, set by set and profile by profile, and what waits; one query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Value, When
from django.utils.timezone import localtime

from batches.models import Answer, Batch, BatchSlot, Session
from batches.rules.statuses import SessionStatus
from batches.selectors.payment_sums import WholeSeconds
from batches.selectors.sums import has_written
from console.selectors.counting import number_of, unanswered_messages
from studies.models import Study

Row = tuple[int, str, str, int]
OF_SESSIONS = frozenset({"filled", "answering", "lost"})
OVER = frozenset({"filled", "lost", "test over"})


class Place(StrEnum):
    """How a set stands with a profile."""

    FULL = "full"
    PART = "part"
    LIVE = "live"
    LOST = "lost"
    EMPTY = "empty"


@dataclass(frozen=True)
class Cell:
    """One set and one profile: how many of the places are filled, being filled, and were lost."""

    number: int
    filled: int
    answering: int
    lost: int
    places: int

    @property
    def place(self) -> Place:
        """The one thing to show; somebody answering is shown before everything else."""
        if self.answering:
            return Place.LIVE
        if self.places and self.filled >= self.places:
            return Place.FULL
        if self.lost and not self.filled:
            return Place.LOST
        return Place.PART if self.filled else Place.EMPTY


@dataclass(frozen=True)
class ProfileCells:
    """A profile through all sets that have places for it."""

    name: str
    cells: Sequence[Cell]

    @property
    def filled(self) -> int:
        return sum(min(cell.filled, cell.places) for cell in self.cells)

    @property
    def places(self) -> int:
        return sum(cell.places for cell in self.cells)

    @property
    def answering(self) -> int:
        return sum(cell.answering for cell in self.cells)


@dataclass(frozen=True)
class Numbers:
    """`covered` counts the sets with all their places filled, `one_short` those that lack one person.

    `median_minutes` is how long it took from first opening a question to its last save, over today's answers;
    None where there are none. Today begins at midnight where the reader is.
    """

    profiles: Sequence[ProfileCells]
    sets: int
    covered: int
    one_short: int
    finished: int
    messages: int
    answers_today: int
    median_minutes: int | None


def board_numbers(study: Study, now: datetime) -> Numbers:
    """Count everything as it is by the clock; test people are counted nowhere."""
    rows = _counted_rows(study, now)
    sets = {key: number for number, _profile, what, key in rows if what == "set"}
    counts: Counter[tuple[int, str, str]] = Counter()
    for number, slug, what, n in rows:
        counts[sets[number] if what in OF_SESSIONS else number, slug, what] += n
    numbers, protocol = sorted(sets.values()), study.protocol
    profiles = []
    for profile in protocol.profiles:
        cells = []
        for number in numbers:
            of = {what: counts[number, profile.slug, what] for what in ("filled", "answering", "lost")}
            laid_down = protocol.has_fixed_places
            places = counts[number, profile.slug, "place"] if laid_down else protocol.replicates_per_profile
            if places:
                cells.append(Cell(number=number, places=places, **of))
        profiles.append(ProfileCells(profile.name, cells))
    short: Counter[int] = Counter()
    for of_profile in profiles:
        for cell in of_profile.cells:
            short[cell.number] += max(0, cell.places - cell.filled)
    return Numbers(
        profiles=profiles,
        sets=len(numbers),
        covered=sum(missing == 0 for missing in short.values()),
        one_short=sum(missing == 1 for missing in short.values()),
        finished=sum(n for _number, _profile, what, n in rows if what in OVER),
        messages=counts[0, "", "messages"],
        answers_today=sum(n for _number, _profile, what, n in rows if what == "minutes"),
        median_minutes=_median({number: n for number, _profile, what, n in rows if what == "minutes"}),
    )


def _counted_rows(study: Study, now: datetime) -> Sequence[Row]:
    """By set and profile, 0 and blank where there is none: what is counted, and how many there are of it."""
    sets = Batch.objects.filter(plan__study=study).order_by()
    today = localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    # Whose session ended before today has saved nothing today: their answers need not be read.
    may_have = Q(session__ended_at=None) | Q(session__ended_at__gte=today)
    people = {"session__participant__study": study, "session__participant__is_test": False}
    answers = Answer.objects.filter(may_have, **people, has_text=True, saved_at__gte=today).order_by()
    # By whole minutes, and how many answers took so many.
    timed = answers.annotate(minutes=WholeSeconds(F("saved_at") - F("first_seen_at")) / 60)
    messages = number_of(unanswered_messages().filter(participant__study=study))
    here = Study.objects.filter(pk=study.pk).order_by()
    parts: list[QuerySet[Any, Row]] = [
        sets.values_list("number", Value(""), Value("set"), "pk"),
        timed.values_list("minutes", Value(""), Value("minutes")).annotate(n=Count("pk")),
        here.values_list(Value(0), Value(""), Value("messages"), messages),
    ]
    if study.protocol.has_fixed_places:
        slots = BatchSlot.objects.filter(batch__plan__study=study).order_by()
        places = slots.values_list("batch__number", "profile", Value("place"))
        parts.append(places.annotate(n=Count("pk")))
    return list(_sessions(study, now).union(*parts, all=True))


def _sessions(study: Study, now: datetime) -> QuerySet[Session, Row]:
    """By the key of the set: only where the time ran out does it take a look at answers."""
    runs = Q(status=SessionStatus.ACTIVE, deadline_at__gte=now)
    what = Case(
        When(Q(participant__is_test=True) & runs, then=Value("test")),
        When(participant__is_test=True, then=Value("test over")),
        When(runs, then=Value("answering")),
        When(status=SessionStatus.WITHDRAWN, then=Value("lost")),
        When(status=SessionStatus.SUBMITTED, then=Value("filled")),
        When(Q(overdue_rule="saved_counts") & has_written(), then=Value("filled")),
        default=Value("lost"),
        output_field=CharField(),
    )
    sessions = Session.objects.filter(participant__study=study).order_by()
    named = sessions.annotate(profile=F("participant__profile"), what=what)
    return named.values_list("batch", "profile", "what").annotate(n=Count("pk"))


def _median(numbers: Mapping[int | None, int]) -> int | None:
    """The middle of the numbers, each so many times; the lower of two. What was never opened has no time."""
    known = sorted((minutes, n) for minutes, n in numbers.items() if minutes is not None)
    half = sum(n for _minutes, n in known) / 2
    reached = 0
    for minutes, n in known:
        reached += n
        if reached >= half:
            return minutes
    return None
