"""Numbers in answers, as exact fractions: 0.1 is one tenth, and no tolerance hides in the comparison."""

import re
from fractions import Fraction

# Longer digit strings are no answers, and turning them into numbers costs quadratic time.
MAX_CHARACTERS = 60
UNSIGNED = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
NUMBER = rf"(?:{UNSIGNED})(?:[eE][+-]?\d{{1,3}}(?!\d))?"
WHOLE_NUMBER = re.compile(rf"([+-]?)\s?({NUMBER})(?:\s?/\s?({NUMBER}))?\.?", re.ASCII)
# A sign counts only where it cannot be a hyphen (10-12), and digits inside a word (H2O) are no number.
NUMBER_INSIDE = re.compile(rf"((?<![\w.)-])[+-])?(?<![\w.])({NUMBER})(?:/({NUMBER}))?", re.ASCII)


def number_of(text: str) -> Fraction | None:
    """The number a whole text is: 1,000; -3; .5; 1e3; 1/2. None where it is anything else.

    The text is expected `unified` (see texts.py).
    """
    match = WHOLE_NUMBER.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    return _fraction(*match.groups()) if match else None


def numbers_in(text: str) -> list[Fraction]:
    """Every number in a `unified` text, in order; a simple fraction is one number, not two."""
    found = NUMBER_INSIDE.finditer(text)
    numbers = [_fraction(*match.groups()) for match in found if len(match[0]) <= MAX_CHARACTERS]
    return [number for number in numbers if number is not None]


def _fraction(sign: str | None, numerator: str, denominator: str | None) -> Fraction | None:
    below = Fraction((denominator or "1").replace(",", ""))
    if below == 0:
        return None
    value = Fraction(numerator.replace(",", "")) / below
    return -value if sign == "-" else value
