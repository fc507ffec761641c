"""The most a run may spend: what a request can cost at worst is set aside before it is sent.

Spent is what the requests on record cost; set aside is what workers' leases hold in `WorkerLease.reserved`,
those of workers that died included. Both together never pass the budget. The bound is as good as two facts:
no token of a prompt is shorter than a byte, and no reply is longer than the judge's bound on output tokens
(without one: than `ASSUMED_OUTPUT_TOKENS`, so only a judge with a bound makes a budget a guarantee).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, Decimal

from django.db import transaction
from django.db.models import Q, Sum
from django.utils.translation import gettext as _

from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, RowState, WorkerLease
from judging.services.running.outages import retry_on_db_outage
from llm.attempts import Attempt
from llm.requests import BYTES_PER_TOKEN
from studies.services.refusals import Refused

ASSUMED_OUTPUT_TOKENS = 16_000
# What a chat template and a description of the reply in words add to the text of the messages.
TOKENS_AROUND = 200
# Nobody answered, or an error status was the answer: there is no work to be paid.
NEVER_CHARGED = frozenset(
    {
        UnscoredReason.ADDRESS_REFUSED,
        UnscoredReason.CONNECTION_FAILED,
        UnscoredReason.RATE_LIMITED,
        UnscoredReason.SERVER_FAILED,
        UnscoredReason.ENDPOINT_TIMED_OUT,
        UnscoredReason.ENDPOINT_CONFLICT,
        UnscoredReason.ASKED_TOO_EARLY,
        UnscoredReason.ACCESS_DENIED,
        UnscoredReason.SCHEMA_REJECTED,
        UnscoredReason.REQUEST_REJECTED,
    }
)
# Held beside what waits, as a part of what all threads together need: the database is asked less often, and a
# worker that dies takes little with it.
SPARE_PART = 4
STORED, HELD = Decimal("0.00000001"), Decimal("0.000001")


class PricesUnknown(Refused):
    """A budget can only be kept where every judge's prices are known."""


def require_prices(budget: Decimal | None, configs: Iterable[JudgeConfig | None]) -> None:
    """Raise PricesUnknown where a budget is given and a judge has no prices. Who computes costs nothing."""
    if budget is None:
        return
    unknown = {config.slug for config in configs if config is not None and config.input_price is None}
    if unknown:
        names = ", ".join(f'"{name}"' for name in sorted(unknown))
        said = _(
            "A budget needs prices, and these judges have none: %(names)s. Give them their prices per "
            "million tokens, 0 for a model of your own, or leave out the budget."
        )
        raise PricesUnknown(said % {"names": names})


def cost_of(config: JudgeConfig | None, call: Attempt) -> Decimal | None:
    """What a request cost; None where the prices are not known.

    Where the endpoint does not say how many tokens it took, it counts as the most it can have been, unless
    there was nothing to charge: what may have been paid is never taken to be free.
    """
    if config is None or config.input_price is None:
        return None
    known = config.price_of(call.prompt_tokens, call.completion_tokens)
    if known is not None:
        return known.quantize(STORED, ROUND_CEILING)
    return Decimal(0) if call.outcome in NEVER_CHARGED else worst_cost(config, call.prompt_estimate)


def worst_cost(config: JudgeConfig, prompt_estimate: int) -> Decimal:
    """The most a request can cost whose prompt was estimated at so many tokens."""
    prompt = prompt_estimate * BYTES_PER_TOKEN + TOKENS_AROUND
    cost = config.price_of(prompt, config.max_output_tokens or ASSUMED_OUTPUT_TOKENS)
    if cost is None:
        raise ValueError(f"The judge {config.slug} has no prices.")
    return cost.quantize(HELD, ROUND_CEILING)


@dataclass(frozen=True)
class BudgetStatus:
    """What one lease holds now, and how the run stands.

    `others_alive` is what other leases at work hold, `others_dead` what those of dead workers held.
    """

    held: Decimal
    spent: Decimal
    others_alive: Decimal
    others_dead: Decimal
    budget: Decimal | None


@transaction.atomic
def _budget_reserve(
    lease: WorkerLease, *, under_way: Decimal, least: Decimal, most: Decimal, now: datetime
) -> BudgetStatus:
    """Hold `most`, or what the budget has left if that is at least `least`, else just what is under way."""
    # Two leases that reserve at the same time would both take the same room.
    run = JudgingRun.objects.select_for_update(no_key=True).get(pk=lease.judging_run_id)
    spent = spent_of(run)
    alive, dead = set_aside(run, now, beside=lease)
    room = most if run.budget is None else run.budget - spent - alive - dead
    held = min(most, room) if room >= least else under_way
    held = held.quantize(HELD)
    WorkerLease.objects.filter(pk=lease.pk).update(reserved=held)
    return BudgetStatus(held, spent, alive, dead, run.budget)


def spent_of(run: JudgingRun) -> Decimal:
    """What the run's requests on record cost."""
    total = JudgeCall.objects.filter(judging_run=run).aggregate(cost=Sum("cost"))["cost"]
    return Decimal(total or 0).quantize(STORED)


def set_aside(
    run: JudgingRun, now: datetime, *, beside: WorkerLease | None = None
) -> tuple[Decimal, Decimal]:
    """What leases at work hold, and what was held for requests that are on no record and never will be."""
    leases = WorkerLease.objects.filter(judging_run=run)
    if beside is not None:
        leases = leases.exclude(pk=beside.pk)
    at_work = Q(ended_at=None, leased_until__gt=now)
    sums = leases.aggregate(alive=Sum("reserved", filter=at_work), dead=Sum("reserved", filter=~at_work))
    alive, dead = (Decimal(sums[name] or 0).quantize(HELD) for name in ("alive", "dead"))
    return alive, dead


def _why_exhausted(lease: WorkerLease, status: BudgetStatus, worst: Decimal) -> str:
    """In words: what is spent, set aside and left to do, and what the next request could cost."""
    rows = CriterionScore.objects.filter(judging_run=lease.judging_run_id)
    left = rows.filter(state=RowState.OPEN).count()
    lost = f", {_money(status.others_dead)} may have been by workers that died" if status.others_dead else ""
    return (
        f"{_money(status.spent)} of {_money(status.budget or Decimal(0))} is spent{lost}; the next request "
        f'to the judge "{lease.judge}" could cost {_money(worst)}. Verdicts left: {left:,} of '
        f"{rows.count():,}. Resume the run with a higher budget to go on."
    )


def _money(amount: Decimal) -> str:
    """An amount without needless zeros, with two decimals at least."""
    whole, _point, decimals = f"{amount:f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


class BudgetReservation:
    """One worker's part of a run's budget: what it holds, and how much of that is under way.

    What is held may be sent for. All but `ask` is called under the gate's lock and asks no database.
    """

    def __init__(self, lease: WorkerLease, config: JudgeConfig, *, clock: Callable[[], datetime]) -> None:
        self._lease = lease
        self._config = config
        self._clock = clock
        self._held = Decimal(0)
        self._asking = False
        self._settled = self._settled_before = Decimal(0)
        self.under_way = Decimal(0)

    def worst(self, prompt_estimate: int) -> Decimal:
        return worst_cost(self._config, prompt_estimate)

    def covers(self, worst: Decimal) -> bool:
        """While the database is asked nothing more is let through: it may answer that less is held now."""
        return not self._asking and self._held - self.under_way >= worst

    def take(self, worst: Decimal) -> None:
        """For what is covered: it is under way from now on."""
        self.under_way += worst

    def take_back(self, worst: Decimal) -> None:
        """Nothing was sent after all."""
        self.under_way -= worst

    def settle(self, worst: Decimal, call: Attempt) -> None:
        """The request is on record: what it cost is spent and no longer held, the rest is free again."""
        cost = cost_of(self._config, call) or Decimal(0)
        self.under_way -= worst
        self._held -= cost
        self._settled += cost

    def begin(self) -> Decimal:
        """Before `ask`: what is under way."""
        self._asking, self._settled_before = True, self._settled
        return self.under_way

    def ask(self, waiting: Sequence[Decimal], under_way: Decimal) -> BudgetStatus:
        """Hold enough for what waits, or as much as there is; called without the lock."""
        spare = waiting[0] * (self._lease.slots // SPARE_PART)
        least = under_way + waiting[0]
        most = under_way + sum(waiting, spare)
        return retry_on_db_outage(
            lambda: _budget_reserve(
                self._lease, under_way=under_way, least=least, most=most, now=self._clock()
            )
        )

    def end(self, status: BudgetStatus) -> None:
        """After `ask`. What was settled meanwhile may or may not be in what was spent; it counts in both."""
        self._held = status.held - (self._settled - self._settled_before)
        self._asking = False

    def why_exhausted(self, status: BudgetStatus, worst: Decimal, under_way: Decimal) -> str | None:
        """In words why a request cannot be sent; None where it can, or where others' end may change that.

        `under_way` is what it was before `ask`: what ended since then is not in the answer.
        """
        if self.covers(worst) or under_way or status.others_alive:
            return None
        return _why_exhausted(self._lease, status, worst)
