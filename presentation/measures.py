"""Measures as texts: a value, its error, its interval, or in words why one of them is absent."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

from django.utils.translation import gettext as _, gettext_lazy

from presentation.absence import why_absent
from presentation.numbers import ABSENT, Text, decimals, percent, span
from psychometrics.inference.standard_errors import FEW_CLUSTERS


class Measured(Protocol):
    """What a measure is said by: `value`, `se`, `low` and `high` in its own unit, or the reason for none."""

    @property
    def value(self) -> float | None: ...
    @property
    def se(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def clusters(self) -> int | None: ...


Reasons = Mapping[str, Text]
COMMON: Reasons = MappingProxyType({})
BY_PEOPLE = gettext_lazy(
    "Intervals here are by people (T1): for other people on these prompts. Those of the results are for "
    "other prompts like these, too, where the design allows it."
)


def value_cell(row: Measured | None, places: int = 2) -> str:
    """The value, or a dash; never zero for nothing."""
    return decimals(row.value if row else None, places)


def se_cell(row: Measured | None, places: int = 2) -> str:
    return decimals(row.se if row else None, places)


def percent_cell(row: Measured | None, places: int = 1) -> str:
    """A share in [0, 1] in percent."""
    return percent(row.value if row else None, places)


def interval_cell(row: Measured | None, places: int = 2) -> str:
    return span(row.low, row.high, places) if row else ABSENT


def value_with_interval(row: Measured | None) -> str:
    """Both in one cell; the value alone where there is no interval."""
    if row is None or row.low is None:
        return value_cell(row)
    return f"{value_cell(row)} ({interval_cell(row)})"


def value_with_error(row: Measured | None) -> str:
    """The value with its standard error, or why there is none."""
    if row is None or row.value is None or row.se is None:
        return value_or_reason(row)
    return f"{value_cell(row)} ({se_cell(row)})"


def value_or_reason(row: Measured | None, places: int = 2, here: Reasons = COMMON) -> str:
    """The value, or in words why there is none; `here` has words of a page's own."""
    return value_cell(row, places) if row is None or row.value is not None else reason_cell(row.reason, here)


def interval_or_reason(row: Measured | None, places: int = 2, here: Reasons = COMMON) -> str:
    """The interval, or in words why there is none."""
    return interval_cell(row, places) if row is None or row.low is not None else reason_cell(row.reason, here)


def reason_cell(reason: str, here: Reasons = COMMON) -> str:
    return str(here.get(reason) or why_absent(reason)) or ABSENT


def group_name(group: str) -> str:
    """Average or Top; whatever is of Top is in-sample and says so, unless its estimator corrects for it."""
    return {"average": _("Average"), "top": _("Top (in-sample)")}.get(group, _("All"))


def estimator_name(name: str) -> str:
    """A theta under its one printed name, whichever block it is of; rows and files write theta.ql."""
    return name[max(name.find("theta."), 0) :].replace("theta.ql", "theta_QL")


def few_clusters_sentences(rows: Iterable[Measured]) -> Iterator[str]:
    """A warning where an interval by t rests on few clusters. Rows without an error say nothing."""
    with_error = [row.clusters for row in rows if row.se is not None]
    fewest = min((number for number in with_error if number is not None), default=FEW_CLUSTERS)
    if fewest < FEW_CLUSTERS:
        text = _("Some errors rest on %(number)d groups only. Below 15, even t intervals cover too little.")
        yield text % {"number": fewest}
