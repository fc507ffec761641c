"""One worker's part of a run's budget: what it holds, and how much of that is under way."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal

from judging.models import JudgeConfig, WorkerLease
from judging.services.running.budget import BudgetStatus, budget_reserve, cost_of, why_exhausted, worst_cost
from judging.services.running.outages import retry_on_db_outage
from llm.attempts import Attempt

# Held beside what waits, as a part of what all threads together need: the database is asked less often, and a
# worker that dies takes little with it.
SPARE_PART = 4


class BudgetReservation:
    """What is held may be sent for. All but `ask` is called under the gate's lock and asks no database."""

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
            lambda: budget_reserve(
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
        return why_exhausted(self._lease, status, worst)
