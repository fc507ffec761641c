"""Totals and tabs of what people are owed, from groups of people who are alike: no person is read for them.

Amounts are those of `batches.rules.payments`, reckoned once for each group: to the cent what the lines say.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    Count,
    DurationField,
    ExpressionWrapper,
    F,
    Func,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat

from batches.models import PaidState, PaymentReport, PaymentRule
from batches.rules.payments import NOTHING, Owed, owed
from batches.rules.statuses import SessionStatus
from batches.selectors.payments import paid_people
from batches.selectors.sums import answers_written
from studies.models import Participant, Study
from studies.selectors.participants import withdrew

KEYS = ("seconds", "reached", "gone", "runs", "report")
_STATES = {state.value: state for state in PaidState}
LONGEST = 1_000_000  # seconds of a session; more hours change no sign


@dataclass(frozen=True, slots=True)
class PayGroup:
    """`number` people of whom the same is known and owed; see `PayLine`.

    `total` is all that is owed, nothing where that is unknown. `undone`: they have not started, or still
    work. `state` and `amount` are the payer's newest word.
    """

    owed: Owed | None
    total: Decimal
    undone: bool
    state: PaidState | None
    amount: Decimal | None
    number: int

    @property
    def is_paid(self) -> bool:
        return self.state == PaidState.PAID

    @property
    def is_silent(self) -> bool:
        """Owed something of which the payer says nothing."""
        return self.state is None and self.total > 0

    @property
    def differs(self) -> bool:
        """The payer names an amount paid that is not the one owed."""
        return self.is_paid and self.amount is not None and (self.owed is None or self.amount != self.total)


@dataclass(frozen=True, slots=True)
class PaySums:
    """Totals over everybody listed.

    `owed` is what is known to be owed, to `people`, `paid` what was reported as paid, `open` what is owed to
    those who were not reported as paid. `unknown` people still work or have not started; of `silent` people
    who are owed something no state was reported. `differing` were paid another amount than is owed to them.
    """

    owed: Decimal
    paid: Decimal
    open: Decimal
    people: int
    unknown: int
    silent: int
    differing: int

    def __add__(self, other: "PaySums") -> "PaySums":
        """The totals over other people, too."""
        return PaySums(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


class WholeSeconds(Func):
    """The seconds of a difference of two moments, rounded down."""

    output_field = BigIntegerField()
    template = "FLOOR(date_part('epoch', %(expressions)s))::bigint"  # EXTRACT is slower: it gives decimals

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """SQLite has differences as microseconds."""
        return self.as_sql(compiler, connection, template="(%(expressions)s / 1000000)", **context)


def pay_people(
    study: Study, rule: PaymentRule | None, now: datetime, words: str = ""
) -> QuerySet[Participant]:
    """`paid_people` whose code or address has these words, with what decides what they are owed (`KEYS`), and
    `state` and `amount` of the newest report to look for.
    """
    over = Q(session__status=SessionStatus.ACTIVE, session__deadline_at__lt=now)
    over |= Q(session__status=SessionStatus.EXPIRED)
    reports = PaymentReport.objects.filter(participant=OuterRef("pk")).order_by("-pk")
    has_bonus = rule is not None and rule.bonus > 0
    enough = Q(written__gte=rule.bonus_answers) if rule is not None and has_bonus else Q(pk=None)
    people = paid_people(study)
    if words:
        people = people.filter(Q(code__icontains=words) | Q(user__email__icontains=words))
    if has_bonus:
        people = people.alias(written=answers_written("session__"))
    newest = {name: Subquery(reports.values(name)[:1]) for name in ("state", "amount")}
    # "paid 12.50" or "paid ": each look at the reports costs as much as all else of a person.
    both = Concat(
        "state", Value(" "), Coalesce(Cast("amount", CharField()), Value("")), output_field=CharField()
    )
    return people.alias(**newest).annotate(
        seconds=Case(
            When(over, then=_seconds("session__deadline_at")),
            When(~Q(session__status=SessionStatus.ACTIVE), then=_seconds("session__ended_at")),
            output_field=BigIntegerField(),
        ),
        reached=_flag(enough),
        gone=_flag(Q(withdrew())),
        runs=_flag(Q(session__status=SessionStatus.ACTIVE) & ~over),
        report=Subquery(reports.values(both=both)[:1]),
    )  # fmt: skip


def _seconds(end: str) -> WholeSeconds:
    return WholeSeconds(ExpressionWrapper(F(end) - F("session__started_at"), output_field=DurationField()))


def _flag(condition: Q) -> Case:
    return Case(When(condition, then=Value(1)), default=Value(0))


def pay_groups(people: QuerySet[Participant], rule: PaymentRule | None) -> Sequence[PayGroup]:
    """Everybody of `pay_people` in groups; whose seconds come to the same cents are alike. One query."""
    due = _reckoner(rule)
    # Cents a second; in whole numbers, half a cent is one, as in `owed`.
    cents, seconds = (Fraction(rule.hourly) / 36 if rule else Fraction(0)).as_integer_ratio()
    alike = people.order_by().annotate(cents=(F("seconds") * (2 * cents) + seconds) / (2 * seconds))

    def least(come_to: int | None) -> int | None:
        """The fewest seconds that come to so many cents."""
        return come_to and max(0, -((1 - 2 * come_to) * seconds // (2 * cents)))

    rows = alike.values_list("cents", *KEYS[1:]).annotate(number=Count("pk"))
    return [_group(due, least(come_to), *row) for come_to, *row in rows]


def _group(due: Callable[[int | None, int, int], Owed | None], *row: Any) -> PayGroup:
    seconds, reached, gone, runs, report, number = row
    state, _, amount = (report or "").rpartition(" ")
    # Who has no session has no seconds either; who left before the start is neither to come nor at work.
    undone = bool(runs) or (seconds is None and not gone)
    known = due(seconds, reached, gone)
    total = known.total if known else NOTHING
    return PayGroup(known, total, undone, _STATES.get(state), Decimal(amount) if amount else None, number)


def _reckoner(rule: PaymentRule | None) -> Callable[[int | None, int, int], Owed | None]:
    """What is owed for seconds, by whether the bonus is reached and the person withdrew."""
    if rule is None:
        return lambda _seconds, _reached, _gone: None
    terms = rule.terms

    @cache
    def due(seconds: int | None, reached: int, gone: int) -> Owed | None:
        answered = terms.bonus_answers if reached else terms.bonus_answers - 1
        return owed(terms, seconds_worked=seconds, answered=answered, has_withdrawn=bool(gone))

    return due


def pay_sums(groups: Iterable[PayGroup]) -> PaySums:
    """Totals over the groups."""
    listed = list(groups)
    total = sum((one.number * one.total for one in listed), NOTHING)
    settled = sum((one.number * one.total for one in listed if one.is_paid), NOTHING)
    paid = (one.number * (one.total if one.amount is None else one.amount) for one in listed if one.is_paid)
    return PaySums(
        owed=total,
        paid=sum(paid, NOTHING),
        open=total - settled,
        people=sum(one.number for one in listed if one.total > 0),
        unknown=sum(one.number for one in listed if one.owed is None and one.undone),
        silent=sum(one.number for one in listed if one.is_silent),
        differing=sum(one.number for one in listed if one.differs),
    )


TABS: Mapping[str, Callable[[PayGroup], bool]] = {
    "": lambda one: True,
    "silent": lambda one: one.is_silent,
    "ordered": lambda one: one.state == PaidState.ORDERED,
    "paid": lambda one: one.is_paid,
    "failed": lambda one: one.state == PaidState.FAILED,
    "differs": lambda one: one.differs,
    "unknown": lambda one: one.owed is None,
}


def tab_numbers(groups: Iterable[PayGroup]) -> Counter[str]:
    """How many people are in each tab."""
    numbers: Counter[str] = Counter()
    for one in groups:
        for tab, holds in TABS.items():
            numbers[tab] += one.number if holds(one) else 0
    return numbers


def in_tab(people: QuerySet[Any], tab: str, rule: PaymentRule | None) -> QuerySet[Any]:
    """Those of `pay_people` whose group is in the tab."""
    if tab in PaidState.values:
        return people.filter(state=tab)
    if tab == "unknown":
        return people if rule is None else people.filter(seconds=None)
    if tab == "silent":
        return people.filter(_is_owed(rule), state=None)
    if tab == "differs":
        due = _reckoner(rule)
        paid = people.filter(state=PaidState.PAID, amount__isnull=False).order_by().values_list("pk", *KEYS)
        return people.filter(pk__in=[key for key, *row in paid if _group(due, *row, 1).differs])
    return people


def _is_owed(rule: PaymentRule | None) -> Q:
    """Whether somebody is owed more than nothing."""
    nobody = Q(pk=None)
    if rule is None:
        return nobody
    due = _reckoner(rule)
    least = bisect_left(range(LONGEST), True, key=lambda seconds: bool(due(seconds, 0, 0).total))  # type: ignore[union-attr]
    found = Q(seconds__gte=least)
    if rule.bonus > 0:
        found |= Q(reached=1)
    return (found if rule.pays_withdrawn else found & Q(gone=0)) & Q(seconds__isnull=False)
