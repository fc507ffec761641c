"""How far a judging run is at one moment: what was counted, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.db.models import Case, DateTimeField, F, When
from django.db.models.functions import TruncMinute

from judging.models import JudgingRun, RunState, ScoringRun
from judging.selectors.judges import judge_name
from llm.requests import OK

QUIET_SECONDS = 30
# How many minutes of calls are told one by one.
MINUTES = 60
ONE = timedelta(minutes=1)
ZERO = Decimal(0)


@dataclass(frozen=True)
class JudgeProgress:
    """One judge (and replicate) of a run.

    `being_asked` are open rows that a worker holds; `waiting_again` open ones that failed before, by the
    reason. `cost` is None where the judge's prices are not known; `unknown_costs` counts the calls on record
    without a cost. `set_aside` is the most that calls under way can cost, at the latest `set_aside_until`;
    `possibly_spent` is what calls that were lost with their worker may have cost beside the cost. `is_asked`:
    a worker asks the judge at this moment, for this run or another.
    """

    run: ScoringRun
    planned: int
    open: int
    being_asked: int
    asked: int
    shared: int
    cached: int
    unscored: Mapping[str, int]
    waiting_again: Mapping[str, int]
    calls: Mapping[str, int]
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    unknown_costs: int
    set_aside: Decimal
    set_aside_until: datetime | None
    possibly_spent: Decimal
    is_asked: bool
    calls_under_way: int
    calls_per_minute: float | None
    rows_per_minute: float | None

    @property
    def name(self) -> str:
        return judge_name(self.run)

    @property
    def decided(self) -> int:
        return self.planned - self.open

    @property
    def scored(self) -> int:
        return self.asked + self.shared + self.cached

    @property
    def unscored_number(self) -> int:
        return sum(self.unscored.values())

    @property
    def calls_number(self) -> int:
        return sum(self.calls.values())

    @property
    def failed_calls(self) -> int:
        return self.calls_number - self.calls.get(OK, 0)


@dataclass(frozen=True)
class Progress:
    """A whole run at one moment. `next_at` is when the next waiting row may be asked, None without one.

    `calls_in_minute` are calls by the minute they began in; minutes without any are not there.
    """

    run: JudgingRun
    now: datetime
    judges: tuple[JudgeProgress, ...]
    next_at: datetime | None
    moved_at: datetime
    calls_in_minute: Mapping[datetime, int]

    @property
    def open(self) -> int:
        return sum(judge.open for judge in self.judges)

    @property
    def planned(self) -> int:
        return sum(judge.planned for judge in self.judges)

    @property
    def decided(self) -> int:
        return self.planned - self.open

    @property
    def percent(self) -> int:
        """Rounded down: 100 means that nothing is left."""
        return 100 * self.decided // self.planned if self.planned else 100

    @property
    def cost(self) -> Decimal | None:
        """None where any judge's prices are not known."""
        costs = [judge.cost for judge in self.judges]
        return None if None in costs else sum((cost for cost in costs if cost is not None), ZERO)

    @property
    def known_cost(self) -> Decimal | None:
        """What the judges with prices cost; None where no judge has any."""
        costs = [judge.cost for judge in self.judges if judge.cost is not None]
        return sum(costs, ZERO) if costs or not self.judges else None

    @property
    def set_aside(self) -> Decimal:
        return sum((judge.set_aside for judge in self.judges), ZERO)

    @property
    def set_aside_until(self) -> datetime | None:
        """When the last lease ends that holds money now, unless its worker renews it."""
        return max((judge.set_aside_until for judge in self.judges if judge.set_aside_until), default=None)

    @property
    def possibly_spent(self) -> Decimal:
        return sum((judge.possibly_spent for judge in self.judges), ZERO)

    @property
    def spent(self) -> Decimal:
        """What is on record and what may have been spent beside it, as far as prices are known."""
        return (self.known_cost or ZERO) + self.possibly_spent

    @property
    def scored(self) -> int:
        return sum(judge.scored for judge in self.judges)

    @property
    def unscored(self) -> int:
        return sum(judge.unscored_number for judge in self.judges)

    @property
    def tokens(self) -> int:
        return sum(judge.prompt_tokens + judge.completion_tokens for judge in self.judges)

    @property
    def calls_per_minute(self) -> float:
        """At the present speed of all judges together."""
        return sum(judge.calls_per_minute or 0 for judge in self.judges)

    @property
    def judges_asked(self) -> int:
        """How many of its judges a worker asks at this moment."""
        return sum(judge.is_asked and judge.open > 0 for judge in self.judges)

    @property
    def expected_end(self) -> datetime | None:
        """When the slowest judge is done at its present speed; None where one's cannot be told, or where no
        worker is at it.
        """
        # At its present speed; None where there is none to go by.
        left = [
            judge.open / judge.rows_per_minute if judge.rows_per_minute else None
            for judge in self.judges
            if judge.open
        ]
        if self.run.state != RunState.RUNNING or not left or None in left or self.is_still:
            return None
        return self.now + timedelta(minutes=max(minutes for minutes in left if minutes is not None))

    @property
    def waits_for_next_round(self) -> bool:
        """Everything left failed and waits for its time."""
        return self.is_still and self.next_at is not None and self.next_at > self.now

    @property
    def nobody_works(self) -> bool:
        """There is something to do, no worker at it, and nothing has moved for a while."""
        if not self.is_still or self.next_at is None:
            return False
        return self.now - max(self.moved_at, self.next_at) >= timedelta(seconds=QUIET_SECONDS)

    @property
    def is_still(self) -> bool:
        return self.run.state == RunState.RUNNING and self.open > 0 and self.judges_asked == 0


def calls_by_minute(progress: Progress) -> list[int]:
    """Calls in each of the last minutes, the oldest first, of a run that is over before its end.

    It begins where the run began; the minute that is not over is left out while the run goes on.
    """
    first, last = _minutes(progress.run, progress.now)
    minutes = range(int((last - first) / ONE) + 1)
    return [progress.calls_in_minute.get(first + place * ONE, 0) for place in minutes]


def minute_shown(run: JudgingRun, now: datetime) -> TruncMinute:
    """The minute of a call, for a query; null where `calls_by_minute` leaves it out."""
    first, last = _minutes(run, now)
    is_shown = When(called_at__gte=first, called_at__lt=last + ONE, then=F("called_at"))
    return TruncMinute(Case(is_shown, output_field=DateTimeField()), tzinfo=UTC)


def _minutes(run: JudgingRun, now: datetime) -> tuple[datetime, datetime]:
    """Where the first and the last of the minutes begin."""
    last = (run.ended_at or now - ONE).replace(second=0, microsecond=0)
    return max(last - (MINUTES - 1) * ONE, run.started_at.replace(second=0, microsecond=0)), last
