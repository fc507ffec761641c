"""What is owed by a rule, to the cent, against sums made by hand."""

from decimal import Decimal

import pytest

from batches.rules.payments import PaymentTerms, owed

HOUR = 3600


def parts(
    terms: PaymentTerms, seconds: int | None, answered: int = 0, *, withdrew: bool = False
) -> list[str]:
    due = owed(terms, seconds_worked=seconds, answered=answered, has_withdrawn=withdrew)
    return [str(due.flat), str(due.hourly), str(due.bonus), str(due.total)] if due else []


@pytest.mark.parametrize(
    ("seconds", "answered", "expected"),
    [
        (3 * HOUR, 20, ["20.00", "37.50", "10.00", "67.50"]),  # 20 + 3 x 12.50 + 10
        (5 * HOUR + 1800, 19, ["20.00", "50.00", "0.00", "70.00"]),  # 4 of 5.5 hours, 19 of 20 answers
        (1, 0, ["20.00", "0.00", "0.00", "20.00"]),  # 12.50 / 3600 = 0.0035
        (3 * HOUR + 1, 0, ["20.00", "37.50", "0.00", "57.50"]),  # 37.5035 is rounded to the cent
        (1446, 0, ["20.00", "5.02", "0.00", "25.02"]),  # 5.0208
        (72, 0, ["20.00", "0.25", "0.00", "20.25"]),  # a fiftieth of an hour, exactly
    ],
)
def test_a_flat_amount_hours_with_a_cap_and_a_bonus(seconds: int, answered: int, expected: list[str]) -> None:
    terms = PaymentTerms(Decimal(20), Decimal("12.50"), Decimal(4), Decimal(10), 20)
    assert parts(terms, seconds, answered) == expected


def test_half_a_cent_is_rounded_up() -> None:
    assert parts(PaymentTerms(hourly=Decimal("0.01")), HOUR // 2) == ["0.00", "0.01", "0.00", "0.01"]


def test_without_a_cap_all_hours_are_paid() -> None:
    assert parts(PaymentTerms(hourly=Decimal(10)), 100 * HOUR)[1] == "1000.00"


def test_nobody_guesses_what_is_owed_to_who_has_not_finished() -> None:
    assert parts(PaymentTerms(flat=Decimal(20)), None) == []


def test_whether_who_withdrew_is_paid_is_part_of_the_rule() -> None:
    paid = PaymentTerms(flat=Decimal(20), hourly=Decimal(10))
    unpaid = PaymentTerms(flat=Decimal(20), hourly=Decimal(10), pays_withdrawn=False)
    assert parts(paid, HOUR, withdrew=True)[-1] == "30.00"
    assert parts(unpaid, HOUR, withdrew=True)[-1] == "0.00"
