"""From values to places, and the values that an axis names."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from presentation.drawings.shapes import rounded

Say = Callable[[float, int], str]  # a number with so many decimals, in the reader's language
STEPS = (1.0, 2.0, 5.0, 10.0)
LOG_STEPS = (1, 2, 5)
MARGIN = 0.04  # of the width, on either side of what is drawn
ALIKE = 1e-9  # relative to the values: differences that are nothing but rounding


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` lie from `start` to `end` in pixels; by their logarithms if `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = (math.log(one) if self.log else one for one in (self.low, self.high, value))
        return rounded(self.start + (value - low) / (high - low) * (self.end - self.start))

    def within(self, value: float) -> float:
        """The place of the value, or the end of the scale that it lies beyond."""
        return self.at(min(max(value, self.low), self.high))


def scale_of(values: Iterable[float], start: float, end: float, *, log: bool = False) -> Scale:
    """A scale that holds all values with a margin; around a single one, a unit to either side.

    On a scale of logarithms all values must be above 0.
    """
    on_scale = [math.log(value) if log else value for value in values]
    low, high = (min(on_scale), max(on_scale)) if on_scale else (-1.0, 1.0)
    alike = high - low <= ALIKE * max(1.0, abs(low), abs(high))
    margin = 1.0 if alike else MARGIN * (high - low)
    low, high = low - margin, high + margin
    return Scale(math.exp(low) if log else low, math.exp(high) if log else high, start, end, log)


def ticks(scale: Scale, wanted: int = 6) -> list[float]:
    """Round values on the scale, about as many as wanted."""
    if scale.log:
        decades = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1)
        every = [step * 10.0**decade for decade in decades for step in LOG_STEPS]
        inside = [value for value in every if scale.low <= value <= scale.high]
        return inside[:: max(1, math.ceil(len(inside) / (2 * wanted)))]
    step = step_of(scale.high - scale.low, wanted)
    first = math.ceil(scale.low / step - 1e-9)
    last = math.floor(scale.high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def step_of(width: float, wanted: int) -> float:
    """The smallest of 1, 2, 5, 10 times a power of ten that gives at most so many steps."""
    rough = width / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


def places_of(values: list[float]) -> int:
    """How many decimals tell these ticks apart."""
    if len(values) < 2:
        return 1
    step = min(abs(two - one) for one, two in pairwise(values))
    return max(0, math.ceil(-math.log10(step) - 1e-9))
