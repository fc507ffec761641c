"""What judging has cost so far, beside what people are owed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Q, Sum

from batches.models import PaymentReport, PaymentRule
from batches.rules.statuses import SessionStatus
from batches.selectors.answers import answers_to_score
from batches.selectors.payment_sums import PayGroup, PaySums, pay_groups, pay_people, pay_sums, tab_numbers
from judging.models import JudgeCall
from screening.selectors.kept import kept
from screening.selectors.participants import retained_participants
from studies.models import Study


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


def judge_spent(study: Study) -> JudgeSpent:
    """Over all judging runs of the study. Three queries."""
    return kept("judge spent", study, lambda: _judge_spent(study), also=(JudgeCall,))


def _judge_spent(study: Study) -> JudgeSpent:
    sums = JudgeCall.objects.filter(judging_run__study=study).aggregate(
        calls=Count("pk"), money=Sum("cost"), unpriced=Count("pk", filter=Q(cost=None))
    )
    counted = retained_participants(study).values("pk")
    answers = answers_to_score(study).filter(session__participant__in=counted).count()
    return JudgeSpent(sums["calls"], sums["money"], sums["unpriced"], answers)


def pay_numbers(study: Study, rule: PaymentRule | None, now: datetime) -> tuple[PaySums, Counter[str]]:
    """Totals over everybody, and how many are in each tab.

    Those whose session is over are counted once, for nothing of it changes without a trace.
    """
    people = pay_people(study, rule, now)
    over = people.filter(session__isnull=False).exclude(session__status=SessionStatus.ACTIVE)
    others = people.filter(Q(session=None) | Q(session__status=SessionStatus.ACTIVE))
    sums, numbers = kept(
        f"payments by rule {rule.pk if rule else 0}", study, lambda: _numbers(pay_groups(over, rule)),
        also=(PaymentReport,),
    )  # fmt: skip
    other_sums, other_numbers = _numbers(pay_groups(others, rule))
    return sums + other_sums, numbers + other_numbers


def _numbers(groups: Sequence[PayGroup]) -> tuple[PaySums, Counter[str]]:
    return pay_sums(groups), tab_numbers(groups)
