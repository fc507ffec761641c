"""What a page or a report shows of a block: sentences, tables, figures. Both are made from the same."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from presentation.absence import WHY_ABSENT
from presentation.numbers import Text, decimals
from psychometrics.inference.estimates import Reason
from psychometrics.inference.standard_errors import FEW_CLUSTERS
from reporting.report.columns import cell_classes, number_columns
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABSENT = "–"


@dataclass(frozen=True)
class Table:
    """Rows of texts under a head; the first cell of a row names it. `notes` stand below.

    `about_people` marks a table whose rows are about single people: the site shows it, no report does.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    about_people: bool = False

    @property
    def head_cells(self) -> Sequence[tuple[str, bool]]:
        """The names of the columns, and whether each holds numbers."""
        return list(zip(self.head, number_columns(self.head, self._texts), strict=True))

    @property
    def row_cells(self) -> Sequence[Sequence[tuple[str, str]]]:
        """Every row's cells with the classes they are set by."""
        numbers = number_columns(self.head, self._texts)
        return [
            [(cell, cell_classes(cell, number=number)) for cell, number in zip(row, numbers, strict=True)]
            for row in self._texts
        ]

    @property
    def says_little(self) -> bool:
        """Whether half of what its cells say, or more, is that there is no number."""
        cells = [cell for row in self._texts for cell in row[1:] if cell]
        absent = {ABSENT, *map(str, WHY_ABSENT.values())}
        return 2 * sum(1 for cell in cells if cell in absent) >= len(cells)

    @property
    def _texts(self) -> Sequence[Sequence[str]]:
        return [[str(cell) for cell in row] for row in self.rows]


@dataclass(frozen=True)
class FigureSpec:
    """A figure: what draws it, what it shows for those who do not see it, and the line below it.

    `draw` returns None where there is nothing to draw. The tables hold the same numbers.
    """

    draw: "Callable[[BlockMeasures], Figure | None]"
    alt: Text
    caption: Text


@dataclass(frozen=True)
class BlockPage:
    """One block as people read it. `lead` says in sentences what is measured and how to read it."""

    title: Text
    lead: Callable[[BlockMeasures], Sequence[str]]
    tables: Callable[[BlockMeasures], Sequence[Table]]
    figures: Mapping[str, FigureSpec] = field(default_factory=dict)


def estimator_name(name: str) -> str:
    """A theta under its one printed name, whichever block it is of; rows and files write theta.ql."""
    return name[name.index("theta.") :].replace("theta.ql", "theta_QL")


def value_cell(row: MeasureRow | None, places: int = 2) -> str:
    """The value, or a dash; never zero for nothing."""
    return ABSENT if row is None or row.value is None else decimals(row.value, places)


def se_cell(row: MeasureRow | None, places: int = 2) -> str:
    return ABSENT if row is None or row.se is None else decimals(row.se, places)


def interval_cell(row: MeasureRow | None, places: int = 2) -> str:
    if row is None or row.low is None or row.high is None:
        return ABSENT
    return _("%(low)s to %(high)s") % {"low": decimals(row.low, places), "high": decimals(row.high, places)}


def value_with_interval(row: MeasureRow | None) -> str:
    """Both in one cell; the value alone where there is no interval."""
    if row is None or row.low is None:
        return value_cell(row)
    return f"{value_cell(row)} ({interval_cell(row)})"


def percent_cell(row: MeasureRow | None, places: int = 1) -> str:
    """A share in [0, 1] in percent."""
    return ABSENT if row is None or row.value is None else f"{decimals(100 * row.value, places)} %"


def count_cell(count: int | None) -> str:
    return ABSENT if count is None else str(number_format(count, use_l10n=True, force_grouping=True))


def group_name(group: str) -> str:
    """Average or Top; whatever is of Top is in-sample and says so, unless its estimator corrects for it."""
    return {"average": _("Average"), "top": _("Top (in-sample)")}.get(group, _("All"))


def is_logistic(found: BlockMeasures) -> bool:
    """Whether abilities by logits are empty as the bank is of the logistic model."""
    return any(row.reason == Reason.LOGISTIC_BANK for row in found.rows)


def by_people_note() -> str:
    """Why an interval in a table of a block is another than that of the results."""
    return _(
        "Intervals here are by people (T1): for other people on these prompts. Those of the results are for "
        "other prompts like these, too, where the design allows it."
    )


def few_clusters_sentences(rows: Iterable[MeasureRow]) -> Sequence[str]:
    """A warning where an interval by t rests on few clusters. Rows without an error say nothing."""
    with_error = [row.clusters for row in rows if row.se is not None]
    fewest = min((number for number in with_error if number is not None), default=FEW_CLUSTERS)
    if fewest >= FEW_CLUSTERS:
        return ()
    text = _("Some errors rest on %(number)d groups only. Below 15, even t intervals cover too little.")
    return (text % {"number": fewest},)
