"""Deterministic equality of an answer with a gold answer, for banks graded without a judge."""

from fractions import Fraction

from judging.matching.numbers import number_of
from judging.matching.texts import bare, unified


def is_equal(answer: str, gold: str) -> bool:
    """Equal as numbers (1,000 = 1000; 1/2 = 0.5), or equal as texts.

    Texts are compared after Unicode NFKC, without case, with single spaces and without surrounding
    punctuation. A blank answer equals nothing; whether it is missing is decided before grading.
    """
    if not answer.strip():
        return False
    value = _value(answer)
    if value is not None and value == _value(gold):
        return True
    return bare(answer) == bare(gold)


def _value(text: str) -> Fraction | None:
    number = number_of(unified(text))
    return number if number is not None else number_of(bare(text))
