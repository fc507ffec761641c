"""Machine checks of rubric criteria: does an answer meet a criterion, decided without a judge."""

from fractions import Fraction

from judging.matching.exact import is_equal, numbers_in, unified
from studies.bank.records import Check, ContainsCheck, EqualsCheck, ExcludesCheck, NumberCheck, WordCountCheck


def passes(check: Check, answer: str) -> bool:
    """Whether the answer meets the check. A blank answer is missing and should not reach this function."""
    match check:
        case ContainsCheck():
            return _holds_any(answer, check.any_of, ignore_case=check.ignore_case)
        case ExcludesCheck():
            return not _holds_any(answer, check.none_of, ignore_case=check.ignore_case)
        case NumberCheck():
            return _holds_number(answer, check)
        case WordCountCheck():
            words = len(answer.split())
            return (check.minimum or 0) <= words and (check.maximum is None or words <= check.maximum)
        case EqualsCheck():
            return any(is_equal(answer, text) for text in check.any_of)


def _holds_any(answer: str, texts: tuple[str, ...], *, ignore_case: bool) -> bool:
    """Substring search after the same Unicode and space folding on both sides."""

    def folded(text: str) -> str:
        return unified(text).casefold() if ignore_case else unified(text)

    searched = folded(answer)
    return any(folded(text) in searched for text in texts)


def _holds_number(answer: str, check: NumberCheck) -> bool:
    """Decimal arithmetic throughout: 1.1 is within 0.1 of 1, which it is not in binary floating point."""
    value, tolerance = Fraction(repr(check.value)), Fraction(repr(check.tolerance))
    return any(abs(number - value) <= tolerance for number in numbers_in(unified(answer)))
