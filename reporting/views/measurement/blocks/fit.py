"""Person fit: who is to be looked at again, and why this alone says nothing about anybody."""

from collections.abc import Callable, Iterator, Sequence

from django.utils.translation import gettext_lazy as _, ngettext

from presentation.catalogue import SCORED_ANSWERS
from presentation.drawings.charts import Across, Axis, Place, Series, chart
from presentation.drawings.shapes import Drawing, Key, Shape
from presentation.measures import percent_cell, value_cell
from presentation.numbers import Text, counted, decimals
from presentation.tables import Exact, Term
from reporting.views.measurement import parts
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures

MAX_SHOWN = 100  # people in the table
MAX_RADIUS = 9.0  # of a mark, in pixels
FLAGS = {
    "correlation": _("No better on easy questions than on hard ones"),
    "outfit": _("Answers far from what their ability foretells"),
    "any": _("Either of them"),
}
TERMS = {"correlation": _("Low personal correlation"), "outfit": _("High outfit")}
EXPECTED = 0.1  # of the people whose answers fit, at most, under either of them
TEXTS = (
    _(
        "One number says whether somebody does better on easy questions than on hard ones (personal "
        "correlation), another how far the answers lie from what is expected of a person of that ability "
        "(outfit)."
    ),
    _(
        "Both are compared with answers simulated for the same person on the same questions; the lowest "
        "or highest 5 % are flagged, so that 5 % of the people whose answers fit are flagged, too. If "
        "many more than that are, it is the assumed way of responding that does not fit."
    ),
    _(
        "For review only. In simulations with 20 questions a person about half of those who gave up "
        "halfway, or knew half of the answers beforehand, were not flagged; with fewer questions it is "
        "more. Nobody is left out by these numbers, because they are computed from scores; read the "
        "answers."
    ),
    _(
        "Misfit and extremity are the two parts of the Mahalanobis distance: misfit is near the number of "
        "scored answers for fitting people; extremity is large for the very able and the very weak, who "
        "are no misfits by that. p is from simulated answers."
    ),
)


def finding(block: BlockMeasures) -> Text:
    """How many are to be looked at again, beside how many would be if all answers fitted."""
    row = flagged(block, "any")
    if row is None or row.value is None:
        return ""
    text = (
        _(
            "<strong>{flagged} of {people} people</strong> answered in a pattern worth another look; of as "
            "many whose answers fit, 8 to 10 % would. That alone says nothing about anybody."
        )
        if row.value > EXPECTED
        else _(
            "People answered <strong>as their ability foretells</strong>: {flagged} of {people} are worth "
            "another look, no more than the 8 to 10 % that chance alone gives."
        )
    )
    return parts.bold(text, flagged=counted(row.details["flagged"]), people=counted(row.people))


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
    if (flagged := len(people(block))) > MAX_SHOWN:
        text = _(
            "These are the %(shown)s with the smallest p of %(flagged)s flagged people; exports hold all."
        )
        yield text % {"shown": counted(MAX_SHOWN), "flagged": counted(flagged)}


def draw_people(block: BlockMeasures, width: float) -> Drawing | None:
    """How many people are in each cell of correlation and outfit per pair; nobody is named in it."""
    row = block.get("fit.grid")
    cells = row.details["cells"] if row else []
    if not cells:
        return None
    styles: Sequence[tuple[int, Shape, str, Text]] = (
        (2, "circle", "average many", _("not flagged")),
        (3, "triangle", "topmark many", _("flagged for review")),
    )
    series, keys = [], []
    for column, shape, look, label in styles:
        own = [(*cell[:2], cell[column]) for cell in cells if cell[column]]
        number = counted(sum(people for _x, _y, people in own))
        keys.append(Key(f"{label} ({number})", look, shape))
        places = []
        for x, y, people in own:
            text = ngettext(
                "%(people)s person, %(label)s: correlation %(x)s, outfit %(y)s",
                "%(people)s people, %(label)s: correlation %(x)s, outfit %(y)s",
                round(people),
            ) % {"people": counted(round(people)), "label": label, "x": decimals(x), "y": decimals(y)}
            # Marks grow with the root of the number of people.
            places.append(Place(x, y, str(text), r=min(3.2 * people**0.25, MAX_RADIUS)))
        series.append(Series("dots", places, look, shape))
    return chart(
        series,
        Axis(str(_("better on easier questions (personal correlation)"))),
        Axis(str(_("how far answers lie from what is foretold (outfit; 1 is expected)")), log=True),
        decimals,
        width=width,
        keys=keys,
        across=(Across(1.0, "zero"),),
    )


PAGE = parts.BlockPage(
    _("Unusual answer patterns"),
    finding,
    lambda _block: TEXTS,
    (
        parts.Plot(
            name="people",
            title=_("Whose answers follow the difficulty of the questions"),
            alt=_(
                "Scatter of outfit per scored answer over personal correlation, without names; larger "
                "marks are more people. Flagged people lie to the left and at the top."
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
                (
                    _("What is unusual"),
                    lambda _block, name: Exact(str(FLAGS[name]), str(TERMS.get(name, FLAGS[name]))),
                ),
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
                    "Scatter of single answers in these people: %(sd)s logits. The item bank's own is of "
                    "means."
                )
                % {"sd": value_cell(block.get("fit.residual_sd"))}
            ],
        ),
        parts.MeasureTable(
            _("For review: people whose answers do not follow the difficulty of the questions"),
            lambda block: people(block)[:MAX_SHOWN],
            (
                (_("Person"), lambda _block, rows: rows[0].participant),
                (SCORED_ANSWERS, _of_outfit(parts.count("n"))),
                (Term(_("Follows the difficulty"), _("Correlation")), _of_correlation(parts.value())),
                (Term(_("chance of as much"), _("p")), _of_correlation(parts.detail("p", 3))),
                (Term(_("Off from what is foretold"), _("Outfit")), _of_outfit(parts.value(1))),
                (Term(_("chance of as much"), _("p")), _of_outfit(parts.detail("p", 3))),
                (_("Misfit"), _of_outfit(parts.detail("misfit", 1))),
                (_("Extremity"), _of_outfit(parts.detail("extremity", 1))),
            ),
            _people_notes,
            about_people=True,
        ),
    ),
)
