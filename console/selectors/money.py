"""What judging has cost so far, beside what people are owed."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Q, Sum

from batches.models import PaymentRule
from batches.selectors.payment_sums import PaySums, pay_groups, pay_people, pay_sums, tab_numbers
from batches.selectors.sums import number_written, sessions_to_score
from judging.models import JudgeCall, JudgingRun
from screening.selectors.participants import is_retained
from studies.models import Study
from studies.services.database import snapshot


@dataclass(frozen=True, slots=True)
class JudgeSpent:
    """What is on record at the prices of the judges; `unpriced` calls have none.

    `per_answer` is over the answers of counted people; None where no call has a price, or nobody counts.
    """

    calls: int
    cost: Decimal | None
    unpriced: int
    answers: int

    @property
    def per_answer(self) -> Decimal | None:
        return self.cost / self.answers if self.cost is not None and self.answers else None


@snapshot()
def judge_spent(study: Study) -> JudgeSpent:
    """Over all judging runs of the study. Three queries."""
    runs = JudgingRun.objects.filter(study=study)
    others = JudgeCall.objects.filter(judging_run__in=runs.filter(counts__isnull=True).values("pk"))
    sums = [others.aggregate(number=Count("pk"), money=Sum("cost"), free=Count("pk", filter=Q(cost=None)))]
    for run in runs.filter(counts__isnull=False).only("counts"):
        sums.extend(run.counts["calls"] if run.counts else ())
    costs = [Decimal(part["money"]) for part in sums if part["money"] is not None]
    counted = sessions_to_score(study).filter(is_retained(study))
    return JudgeSpent(
        calls=sum(part["number"] for part in sums),
        cost=sum(costs, Decimal(0)) if costs else None,
        unpriced=sum(part["free"] for part in sums),
        answers=number_written(counted),
    )


def pay_numbers(study: Study, rule: PaymentRule | None, now: datetime) -> tuple[PaySums, Counter[str]]:
    """Totals over everybody, and how many are in each tab; one query."""
    groups = pay_groups(pay_people(study, rule, now), rule)
    return pay_sums(groups), tab_numbers(groups)
