"""Person fit: who is to be looked at again, and why this alone says nothing about anybody."""

from collections.abc import Callable, Iterator

from django.utils.translation import gettext_lazy as _

from presentation.figures import BLUE, INK, ORANGE, WIDTH, Figure, chart, with_legend
from presentation.measures import percent_cell, value_cell
from presentation.numbers import Text, counted
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

MAX_SHOWN = 100  # people in the table
MIN_AREA, MAX_AREA = 28.0, 200.0  # areas of marks; they grow with the root of the number of people
FLAGS = {"correlation": _("Low personal correlation"), "outfit": _("High outfit"), "any": _("Either of them")}
TEXTS = (
    _(
        "The personal correlation says whether somebody does better on easy prompts than on hard ones. "
        "The outfit says how far the answers lie from what is expected of a person of that ability."
    ),
    _(
        "Both are compared with answers simulated for the same person on the same prompts; the lowest "
        "or highest 5 % are flagged, so that 5 % of the people whose answers fit are flagged, too. If "
        "many more than that are, it is the assumed way of responding that does not fit."
    ),
    _(
        "For review only. In simulations with 20 prompts a person about half of those who gave up halfway, "
        "or knew half of the answers beforehand, were not flagged; with fewer prompts it is more. Nobody is "
        "excluded by these numbers, because they are computed from scores; read the answers."
    ),
)


def flagged(block: BlockMeasures, statistic: str) -> parts.Row:
    return block.get("fit.flagged", subset=f"statistic:{statistic}")


Both = tuple[MeasureRow, MeasureRow]


def people(block: BlockMeasures) -> list[Both]:
    """Correlation and outfit of everybody flagged, the smallest p first."""
    correlations = {row.participant: row for row in block.named("fit.correlation")}
    both = [(correlations[row.participant], row) for row in block.named("fit.outfit")]
    return sorted(both, key=lambda rows: (min(row.details["p"] for row in rows), rows[0].participant))


def _of_correlation(cell: parts.Column) -> Callable[[BlockMeasures, Both], str]:
    return lambda block, rows: cell(block, rows[0])


def _of_outfit(cell: parts.Column) -> Callable[[BlockMeasures, Both], str]:
    return lambda block, rows: cell(block, rows[1])


def _people_notes(block: BlockMeasures) -> Iterator[Text]:
    yield _(
        "Misfit and extremity are the two parts of the Mahalanobis distance: misfit is near the number of "
        "pairs for fitting people; extremity is large for the very able and the very weak, who are no "
        "misfits by that. p is from simulated answers."
    )
    if (flagged := len(people(block))) > MAX_SHOWN:
        text = _(
            "These are the %(shown)s with the smallest p of %(flagged)s flagged people; exports hold all."
        )
        yield text % {"shown": counted(MAX_SHOWN), "flagged": counted(flagged)}


def draw_people(block: BlockMeasures) -> "Figure | None":
    """How many people are in each cell of correlation and outfit per pair; nobody is named in it."""
    from matplotlib.ticker import LogLocator

    row = block.get("fit.grid")
    cells = row.details["cells"] if row else []
    if not cells:
        return None
    figure, axes = chart(
        (WIDTH, 4.6), _("personal correlation of answers with easiness"), _("outfit per pair (1 is expected)")
    )
    styles = ((2, "o", BLUE, _("not flagged")), (3, "^", ORANGE, _("flagged for review")))
    for column, marker, colour, label in styles:
        own = [cell for cell in cells if cell[column]]
        axes.scatter(
            [cell[0] for cell in own], [cell[1] for cell in own], marker=marker, color=colour, alpha=0.65,
            s=[min(MIN_AREA * cell[column] ** 0.5, MAX_AREA) for cell in own], linewidths=0,
            label=f"{label} ({counted(sum(cell[column] for cell in own))})",
        )  # fmt: skip
    axes.axhline(1, color=INK, linewidth=0.6)
    axes.set_yscale("log")
    # 0.5, 1, 2 and 5 of every decade, instead of powers of ten.
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    return with_legend(figure)


PAGE = parts.BlockPage(
    _("Person fit"),
    lambda _block: TEXTS,
    (
        parts.Plot(
            name="people",
            alt=_(
                "Scatter of outfit per pair over personal correlation, without names; larger marks are more "
                "people. Flagged people lie to the left and at the top."
            ),
            caption=_(
                "Personal correlation and outfit of everybody, counted in cells; "
                "larger marks are more people, triangles are for review."
            ),
            draw=draw_people,
        ),
        parts.MeasureTable(
            _("People flagged for review"),
            lambda _block: FLAGS,
            (
                (_("Statistic"), lambda _block, name: FLAGS[name]),
                (
                    _("Flagged"),
                    lambda block, name: counted(
                        row.details["flagged"] if (row := flagged(block, name)) else None
                    ),
                ),
                (_("People"), lambda block, name: parts.count("people")(block, flagged(block, name))),
                (_("Share"), lambda block, name: percent_cell(flagged(block, name))),
                (
                    _("Expected of fitting people"),
                    lambda _block, name: _("about 8 to 10 %") if name == "any" else _("5 %"),
                ),
            ),
            lambda block: [
                _(
                    "Residual SD of single answers in this cohort: %(sd)s logits. The item bank's own is of "
                    "means."
                )
                % {"sd": value_cell(block.get("fit.residual_sd"))}
            ],
        ),
        parts.MeasureTable(
            _("For review: people whose answers do not follow the difficulty of the prompts"),
            lambda block: people(block)[:MAX_SHOWN],
            (
                (_("Person"), lambda _block, rows: rows[0].participant),
                (_("Pairs"), _of_outfit(parts.count("n"))),
                (_("Correlation"), _of_correlation(parts.value())),
                (_("p"), _of_correlation(parts.detail("p", 3))),
                (_("Outfit"), _of_outfit(parts.value(1))),
                (_("p"), _of_outfit(parts.detail("p", 3))),
                (_("Misfit"), _of_outfit(parts.detail("misfit", 1))),
                (_("Extremity"), _of_outfit(parts.detail("extremity", 1))),
            ),
            _people_notes,
            about_people=True,
        ),
    ),
)
