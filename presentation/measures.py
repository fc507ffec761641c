"""Measures as texts: a value, its error, its interval, or in words why one of them is absent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.catalogue import code_label
from presentation.drawings.sure import Reach
from presentation.numbers import Text, bounded, decimals, numbered, percent, span
from presentation.tables import ABSENT, Dash, Interval, PlainWord, Table, led
from psychometrics.inference.estimates import FEW_CLUSTERS, Reason


class Ends(Protocol):
    """What a measure is drawn by: `value`, and `low` and `high` of its interval."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Measured(Ends, Protocol):
    """What a measure is said by: all in its own unit, or the reason for none."""

    @property
    def se(self) -> float | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def clusters(self) -> int | None: ...


TOP, OF_MODELS = "top", ("models.", "theta.epochs", "theta.modelled")
Reasons = Mapping[str, Text]
COMMON: Reasons = {}
WHY_ABSENT: Reasons = {
    Reason.NO_PAIRS.value: gettext_lazy("nothing was scored by both judges"),
    Reason.TOO_FEW_PAIRS.value: gettext_lazy("too few scored answers"),
    Reason.X_CONSTANT.value: gettext_lazy("x gave one score throughout"),
    Reason.Y_CONSTANT.value: gettext_lazy("y gave one score throughout"),
    Reason.NO_VARIATION.value: gettext_lazy("the scores do not vary"),
    Reason.NO_FINITE_SOLUTION.value: gettext_lazy("all scores are 0, or all are 1"),
    Reason.NOTHING_SCORED.value: gettext_lazy("nothing is scored here"),
    Reason.NOT_JUDGED.value: gettext_lazy("it needs answers that were never judged"),
    Reason.TOO_FEW_PEOPLE.value: gettext_lazy("too few people"),
    Reason.TOO_FEW_PROMPTS.value: gettext_lazy("too few questions"),
    Reason.TOO_FEW_PRIVATE.value: gettext_lazy("withheld: it would tell of one or two private questions"),
    Reason.COMPLEMENT.value: gettext_lazy("withheld: it would tell of a part that is too few"),
    Reason.TOO_FEW_QUESTIONS.value: gettext_lazy("hidden: too few questions per task"),
    Reason.NOT_RATED_TWICE.value: gettext_lazy("not measured: nobody was rated twice"),
    Reason.SEPARATED.value: gettext_lazy("no finite estimate: it predicts some outcomes with certainty"),
    Reason.EPOCHS_UNKNOWN.value: gettext_lazy("not modelled: the number of epochs is not published"),
    Reason.BEYOND_SIMULATION.value: gettext_lazy("not modelled: beyond all simulated abilities"),
    Reason.LOGISTIC_BANK.value: gettext_lazy("logistic bank: see ability on the QL scale"),
    Reason.ONE_CLUSTER.value: gettext_lazy("no interval: all scores belong together"),
    Reason.OTHER_DESIGN.value: gettext_lazy("refused: questions were assigned in another way"),
    Reason.SELECTED.value: gettext_lazy("no interval: chosen on the outcome"),
    Reason.LESS_THAN_CHANCE.value: gettext_lazy("people differ less than their errors would make them"),
    Reason.CHANCE_ONLY.value: gettext_lazy("no interval: questions differ by chance only"),
    Reason.TOO_FEW_RESAMPLES.value: gettext_lazy("no interval: too few resamples"),
    Reason.UNSTABLE.value: gettext_lazy("no interval: undefined in too many resamples"),
    Reason.ONE_SIDED.value: gettext_lazy("no interval: nearly all resamples lie on one side of the value"),
    Reason.NOT_PUBLISHED.value: gettext_lazy("no interval: none was published"),
    Reason.NO_SPREAD.value: gettext_lazy("no interval: the same in all resamples"),
    Reason.EARLIER_VERSION.value: gettext_lazy("no interval: compute the results again"),
}


def value_cell(row: Measured | None, places: int = 2) -> str:
    """The value, or above or below what it lies, or a dash; never zero for nothing."""
    return or_dash(bounded(row.value, row.low, row.high, places), row.reason) if row else ABSENT


def or_dash(cell: str, reason: str) -> str:
    """What is said; a dash that knows the reason where that is nothing."""
    return Dash(why_absent(reason)) if cell == ABSENT and reason else cell


def value_cells(**rows: Measured | None) -> dict[str, str]:
    """The values of rows, by the names that a sentence has for them."""
    return {name: value_cell(row) for name, row in rows.items()}


def se_cell(row: Measured | None, places: int = 2) -> str:
    return decimals(row.se if row else None, places)


def percent_cell(row: Measured | None, places: int = 1) -> str:
    """A share in [0, 1] in percent."""
    return or_dash(percent(row.value, places), row.reason) if row else ABSENT


def interval_cell(row: Measured | None, places: int = 2) -> str:
    """The ends of the interval, and where they lie; a dash where there is none."""
    if row is None or row.low is None or row.high is None:
        return ABSENT
    text = span(row.low, row.high, places)
    if row.value is None:
        return text
    look = "average"  # whose number it is, as figures show it
    if getattr(row, "group", "") == TOP:
        look = "topmark"
    elif getattr(row, "name", "").startswith(OF_MODELS) and "model:" in getattr(row, "subset", ""):
        look = "model"
    return Interval(text, Reach(row.value, row.low, row.high, look))


def value_with_interval(row: Measured | None) -> str:
    """Both in one cell; the value alone where there is no interval."""
    if row is None or row.low is None or row.high is None:
        return value_cell(row)
    value = value_cell(row)
    return led(f"{value} ({interval_cell(row)})", value)


def value_with_error(row: Measured | None) -> str:
    """The value with its standard error, or why there is none."""
    if row is None or row.value is None or row.se is None:
        return value_or_reason(row)
    value = value_cell(row)
    return led(f"{value} ({se_cell(row)})", value)


def value_or_reason(row: Measured | None, places: int = 2, here: Reasons = COMMON) -> str:
    """The value, or in words why there is none; `here` has words of a page's own."""
    cell = value_cell(row, places)
    return cell if row is None or cell != ABSENT else reason_cell(row.reason, here)


def interval_or_reason(row: Measured | None, places: int = 2, here: Reasons = COMMON) -> str:
    """The interval, or in words why there is none."""
    cell = interval_cell(row, places)
    return cell if row is None or cell != ABSENT else reason_cell(row.reason, here)


def why_absent(reason: str) -> Text:
    """The reason in words; "" where nothing is absent, the code where this version does not know it."""
    return WHY_ABSENT.get(reason, reason)


def reasons_apart(table: Table) -> tuple[Table, list[str], list[str]]:
    """The table with a dash wherever a cell says why there is no number; those reasons, each once, with those
    of the rows that are left out as nothing but dashes remained; and the names of these.
    """
    table, why_absent_cells = dashed(table)
    empty = [row for row in table.rows if set(row[1:]) <= {ABSENT, ""}]
    kept = [row for row in table.rows if not set(row[1:]) <= {ABSENT, ""}]
    why = dict.fromkeys([*why_absent_cells, *why_dashes(empty)])
    return replace(table, rows=kept), list(why), [row[0] for row in empty]


def dashed(table: Table) -> tuple[Table, list[str]]:
    """The table with a dash wherever a cell says why there is no number, and these reasons, each once."""
    reasons = set(map(str, WHY_ABSENT.values()))
    absent = dict.fromkeys(cell for row in table.rows for cell in row[1:] if cell in reasons)
    rows = [[Dash(cell) if cell in absent else cell for cell in row] for row in table.rows]
    return replace(table, rows=rows), list(absent)


def why_dashes(rows: Iterable[Sequence[str]]) -> list[str]:
    """Why numbers are absent in these rows, each reason once."""
    return list(dict.fromkeys(cell.why for row in rows for cell in row if isinstance(cell, Dash)))


def says_little(table: Table) -> bool:
    """Whether half of what the cells of a table say, or more, is that there is no number."""
    cells = [cell for row in table.rows for cell in row[1:] if cell]
    absent = {ABSENT, *map(str, WHY_ABSENT.values())}
    return 2 * sum(1 for cell in cells if cell in absent) >= len(cells)


def reason_cell(reason: str, here: Reasons = COMMON) -> str:
    return str(here.get(reason) or why_absent(reason)) or ABSENT


def group_name(group: str) -> str:
    """Average or Top; whatever is of Top is in-sample and says so, unless its estimator corrects for it."""
    names = {"average": _("Average"), "top": PlainWord(_("Top as picked"), _("Top (in-sample)"))}
    return names.get(group, _("All"))


def estimator_name(name: str) -> str:
    """An ability or a Top by its estimator, whichever block it is of."""
    return code_label(name[max(name.find("theta."), 0) :])


def few_clusters_sentences(rows: Iterable[Measured]) -> Iterator[str]:
    """A warning where an interval by t rests on few clusters. Rows without an error say nothing."""
    with_error = [row.clusters for row in rows if row.se is not None]
    fewest = min((number for number in with_error if number is not None), default=FEW_CLUSTERS)
    if fewest < FEW_CLUSTERS:
        text = ngettext(
            "Some errors rest on %(number)d group only. Below 15, how wide their intervals come out is "
            "largely chance.",
            "Some errors rest on %(number)d groups only. Below 15, how wide their intervals come out is "
            "largely chance.",
            fewest,
        )
        yield numbered(text, {"number": fewest})
