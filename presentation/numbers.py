"""Numbers as the reader's language writes them."""

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.formats import get_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from presentation.tables import ABSENT, Numeral, led

Text = Promise | str
Number = int | float | Decimal
WHOLE = re.compile(r"%\((?!seed\))(\w+)\)d")


def decimals(value: float | None, places: int = 2) -> str:
    """A number with a real minus sign; a dash where there is none (None or NaN)."""
    if value is None or math.isnan(value):
        return ABSENT
    rounded = round(value, places) or 0.0  # no minus before zero
    return _numeral(number_format(rounded, places), rounded)


def bounded(value: float | None, low: float | None, high: float | None, places: int = 2) -> str:
    """The number; where there is none but one end alone, above or below which it lies, that end."""
    if value is None and (low is None) != (high is None):
        text = _("above %(value)s") if high is None else _("below %(value)s")
        end = decimals(high if low is None else low, places)
        return led(text % {"value": end}, end)
    return decimals(value, places)


def counted(number: int | None) -> str:
    """A whole number, its thousands set apart."""
    return ABSENT if number is None else as_written(number)


def numbered(sentence: Text, facts: Mapping[str, Any]) -> str:
    """A sentence with its facts: whole numbers (%(…)d) have their thousands set apart, seeds have not."""
    sentence = str(sentence)
    names = set(WHOLE.findall(sentence))
    written = {name: as_written(int(value)) if name in names else value for name, value in facts.items()}
    return WHOLE.sub(r"%(\1)s", sentence) % written


class Refusal(str):
    """What is said of a wrong value, marked with gettext_noop; % translates it and fills in its numbers."""

    def __mod__(self, facts: Mapping[str, Any]) -> str:
        written = {
            name: as_written(value) if isinstance(value, Number) else value for name, value in facts.items()
        }
        return _(self) % written


def quantity(number: int, singular: str, plural: str) -> str:
    """How many of what, where texts are in English alone, as on a terminal."""
    return f"{counted(number)} {singular if number == 1 else plural}"


def as_written(value: Number) -> str:
    """A number with all of its places."""
    return _numeral(str(number_format(value, use_l10n=True, force_grouping=True)), float(value))


def _numeral(text: str, value: float) -> Numeral:
    """With a real minus sign; for programs with the sign they know, and its thousands together."""
    return Numeral(text.replace("-", "−"), value, text.replace(get_format("THOUSAND_SEPARATOR"), ""))


def percent(share: float | None, places: int = 1) -> str:
    """A share in [0, 1] in percent."""
    if share is None or math.isnan(share):
        return ABSENT
    number = decimals(100 * share, places)
    return led(f"{number} %", number)


def span(low: float | None, high: float | None, places: int = 2) -> str:
    """From one number to another; a dash where either is absent."""
    ends = {"low": decimals(low, places), "high": decimals(high, places)}
    return ABSENT if ABSENT in ends.values() else led(_("%(low)s to %(high)s") % ends, ends["low"])


def span_or_one(low: float | None, high: float | None, places: int = 2) -> str:
    """The same; one number where both ends are written alike."""
    first = decimals(low, places)
    return first if first == decimals(high, places) else span(low, high, places)
