"""What a machine decides without a judge: whether an answer meets a criterion, or equals the gold answer.

Answers are equal as numbers, or as texts that read the same. Numbers are exact fractions: 0.1 is one tenth,
and no tolerance hides in the comparison.
"""

import re
import unicodedata
from fractions import Fraction

from studies.bank.records import Check, ContainsCheck, EqualsCheck, ExcludesCheck, NumberCheck, WordCountCheck

SURROUNDING = " .,:;!?()[]{}*_`'\"\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a"
UNIFIED = str.maketrans(
    {"\u2044": "/", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
)
RAISED_MARKS = {"<super>": "^", "<sub>": "_"}
# Longer digit strings are no answers, and turning them into numbers costs quadratic time.
MAX_CHARACTERS = 60
UNSIGNED = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
NUMBER = rf"(?:{UNSIGNED})(?:[eE][+-]?\d{{1,3}}(?!\d))?"
WHOLE_NUMBER = re.compile(rf"([+-]?)\s?({NUMBER})(?:\s?/\s?({NUMBER}))?\.?", re.ASCII)
# A sign counts only where it cannot be a hyphen (10-12), and digits inside a word (H2O) are no number.
NUMBER_INSIDE = re.compile(rf"((?<![\w.)-])[+-])?(?<![\w.])({NUMBER})(?:/({NUMBER}))?", re.ASCII)


def passes(check: Check, answer: str) -> bool:
    """Whether the answer meets the check. A blank answer is missing and should not reach this function."""
    match check:
        case ContainsCheck():
            return _holds_any(answer, check.any_of, ignore_case=check.ignore_case)
        case ExcludesCheck():
            return not _holds_any(answer, check.none_of, ignore_case=check.ignore_case)
        case NumberCheck():
            # Fractions throughout: 1.1 is within 0.1 of 1, which it is not in binary floating point.
            value, tolerance = Fraction(repr(check.value)), Fraction(repr(check.tolerance))
            return any(abs(number - value) <= tolerance for number in numbers_in(_unified(answer)))
        case WordCountCheck():
            words = len(answer.split())
            return (check.minimum or 0) <= words and (check.maximum is None or words <= check.maximum)
        case EqualsCheck():
            return any(is_equal(answer, text) for text in check.any_of)


def _holds_any(answer: str, texts: tuple[str, ...], *, ignore_case: bool) -> bool:
    """Substring search after the same Unicode and space folding on both sides."""

    def folded(text: str) -> str:
        return _unified(text).casefold() if ignore_case else _unified(text)

    searched = folded(answer)
    return any(folded(text) in searched for text in texts)


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
    return _bare(answer) == _bare(gold)


def _value(text: str) -> Fraction | None:
    number = number_of(_unified(text))
    return number if number is not None else number_of(_bare(text))


def _unified(text: str) -> str:
    """`plain_characters`, with one kind of white space."""
    return " ".join(plain_characters(text).split())


def plain_characters(text: str) -> str:
    """NFKC with one kind of minus and quote.

    Raised and lowered digits get a mark first, because NFKC alone would turn ten squared into 102.
    """
    if text.isascii():
        return text
    marked = ""
    for character in text:
        kind = unicodedata.decomposition(character).partition(" ")[0]
        marked += RAISED_MARKS.get(kind, "") + character if character.isdigit() else character
    return unicodedata.normalize("NFKC", marked).translate(UNIFIED)


def _bare(text: str) -> str:
    """`_unified`, without case and without surrounding punctuation; text of punctuation alone stays."""
    folded = _unified(text).casefold()
    return folded.strip(SURROUNDING) or folded


def number_of(text: str) -> Fraction | None:
    """The number a whole text is: 1,000; -3; .5; 1e3; 1/2. None where it is anything else.

    The text is expected `_unified`.
    """
    match = WHOLE_NUMBER.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    return _fraction(*match.groups()) if match else None


def numbers_in(text: str) -> list[Fraction]:
    """Every number in a `_unified` text, in order; a simple fraction is one number, not two."""
    found = NUMBER_INSIDE.finditer(text)
    numbers = [_fraction(*match.groups()) for match in found if len(match[0]) <= MAX_CHARACTERS]
    return [number for number in numbers if number is not None]


def _fraction(sign: str | None, numerator: str, denominator: str | None) -> Fraction | None:
    below = Fraction((denominator or "1").replace(",", ""))
    if below == 0:
        return None
    value = Fraction(numerator.replace(",", "")) / below
    return -value if sign == "-" else value
