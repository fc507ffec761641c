"""What a study owes a person by its declared rule: exact amounts, or none where nothing is known."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
SECONDS_PER_HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class PaymentTerms:
    """A flat amount for whoever's session ended, an amount for every hour of it, and one for many answers.

    Hours are paid up to `hours_cap` (None: all of them) and to the second. The bonus is for whoever answered
    at least `bonus_answers` questions. `pays_withdrawn`: those who withdrew are paid like everybody else.
    """

    flat: Decimal = NOTHING
    hourly: Decimal = NOTHING
    hours_cap: Decimal | None = None
    bonus: Decimal = NOTHING
    bonus_answers: int = 1
    pays_withdrawn: bool = True


@dataclass(frozen=True, slots=True)
class Owed:
    """What is owed to one person, and its parts."""

    flat: Decimal
    hourly: Decimal
    bonus: Decimal

    @property
    def total(self) -> Decimal:
        return self.flat + self.hourly + self.bonus


def owed(
    terms: PaymentTerms, *, seconds_worked: int | None, answered: int, has_withdrawn: bool
) -> Owed | None:
    """What the terms give; None as long as nobody can say, for somebody who has not started or still works.

    `seconds_worked` is None for both. Whether the person counts in the study makes no difference.
    """
    if seconds_worked is None:
        return None
    if has_withdrawn and not terms.pays_withdrawn:
        return Owed(NOTHING, NOTHING, NOTHING)
    seconds = Decimal(max(0, seconds_worked))
    if terms.hours_cap is not None:
        seconds = min(seconds, terms.hours_cap * SECONDS_PER_HOUR)
    bonus = terms.bonus if answered >= terms.bonus_answers else NOTHING
    # Divided last: half a cent stays exactly that.
    hourly = terms.hourly * seconds / SECONDS_PER_HOUR
    return Owed(_cents(terms.flat), _cents(hourly), _cents(bonus))


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
