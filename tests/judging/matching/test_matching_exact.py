from fractions import Fraction

import pytest

from judging.matching.checks import is_equal, number_of, numbers_in, passes
from studies.bank.records import Check, ContainsCheck, EqualsCheck, ExcludesCheck, NumberCheck, WordCountCheck


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("Paris", "paris"),
        ("  The\tblue \n whale. ", "the blue whale"),
        ("\u201cParis\u201d!", "Paris"),
        ("**(B)**", "b"),
        ("don\u2019t", "don't"),
        ("\uff21\uff22", "ab"),
        ("STRASSE", "straße"),
        ("1,000", "1000"),
        ("1/2", "0.5"),
        ("\u00bd", "1/2"),
        ("\u22123", "-3.0"),
        (".5", "0.50"),
        ("1e3", "1,000"),
        ("42.", "42"),
        ("(42)", "42"),
        ("+7", "7"),
        ("?", "?"),
        ("1/0", "1/0"),
    ],
)
def test_equal_answers_may_be_written_differently(answer: str, gold: str) -> None:
    assert is_equal(answer, gold)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("", ""),
        ("  ", "x"),
        ("5", "-5"),
        ("0.333", "1/3"),
        ("10\u00b2", "102"),
        ("Paris, France", "Paris"),
        ("1000", "1001"),
        ("5 km", "5"),
        ("c", "c++"),
    ],
)
def test_different_answers_are_told_apart(answer: str, gold: str) -> None:
    assert not is_equal(answer, gold)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is 3.14.", [Fraction(314, 100)]),
        ("10-12 of 1,234.5", [Fraction(10), Fraction(12), Fraction(12345, 10)]),
        ("x=-5, (-7) and a -2", [Fraction(-5), Fraction(-7), Fraction(-2)]),
        ("2/3, not 3/0", [Fraction(2, 3)]),
        ("H2O and A4", []),
        ("5kg, 1,2,3", [Fraction(5), Fraction(1), Fraction(2), Fraction(3)]),
        ("1.5e3 m", [Fraction(1500)]),
        ("9" * 5_000, []),
        ("", []),
    ],
)
def test_numbers_are_found_in_a_text(text: str, numbers: list[Fraction]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize("text", ["", "abc", "1 2", "1/2/3", "--1", "1,23", "9" * 100, "1/0", "inf", "nan"])
def test_what_is_no_number_has_no_value(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("check", "answer", "passed"),
    [
        (ContainsCheck(any_of=("oak", "Ash tree")), "It was an ASH  TREE.", True),
        (ContainsCheck(any_of=("oak",)), "It was an ash.", False),
        (ContainsCheck(any_of=("Oak",), ignore_case=False), "an oak", False),
        (ContainsCheck(any_of=("Oak",), ignore_case=False), "an Oak", True),
        (ExcludesCheck(none_of=("oak", "ash")), "a birch", True),
        (ExcludesCheck(none_of=("oak", "ash")), "an Ash", False),
        (ExcludesCheck(none_of=("Ash",), ignore_case=False), "an ash", True),
        (NumberCheck(value=12.5), "about 12.50 metres", True),
        (NumberCheck(value=12.5), "about 12.6 metres", False),
        (NumberCheck(value=1.0, tolerance=0.1), "1.1", True),
        (NumberCheck(value=1.0, tolerance=0.1), "1.1000001", False),
        (NumberCheck(value=1000), "1,000", True),
        (NumberCheck(value=-3), "\u22123", True),
        (NumberCheck(value=1e-7), "0.0000001", True),
        (NumberCheck(value=2), "two", False),
        (WordCountCheck(minimum=2), "one two", True),
        (WordCountCheck(minimum=3), "one two", False),
        (WordCountCheck(maximum=2), "one  two\n", True),
        (WordCountCheck(maximum=1), "one two", False),
        (WordCountCheck(minimum=1, maximum=3), "one two", True),
        (EqualsCheck(any_of=("1/2", "one half")), "0.5", True),
        (EqualsCheck(any_of=("1/2", "one half")), "One half.", True),
        (EqualsCheck(any_of=("1/2",)), "It is 1/2", False),
    ],
)
def test_a_check_decides_a_criterion(check: Check, answer: str, passed: bool) -> None:
    assert passes(check, answer) is passed
