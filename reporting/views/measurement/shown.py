"""What a page or a report shows of a block: sentences, tables, figures. Both are made from the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from presentation.numbers import Text
from presentation.tables import Table
from psychometrics.inference.estimates import Reason
from scoring.selectors.measures import BlockMeasures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    summary: Callable[[BlockMeasures], Sequence[str]]
    tables: Callable[[BlockMeasures], Sequence[Table]]
    figures: Mapping[str, FigureSpec] = field(default_factory=dict)


def is_logistic(found: BlockMeasures) -> bool:
    """Whether abilities by logits are empty as the bank is of the logistic model."""
    return any(row.reason == Reason.LOGISTIC_BANK for row in found.rows)
