"""Categories as small multiples: each on the axis that all share, beside where all questions together are."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from presentation.codes import CodeNames
from presentation.drawings.multiples import Beside, Part, multiple, shared_scale
from presentation.drawings.scales import Say
from presentation.drawings.shapes import Drawing
from presentation.first_intervals import pool_cell, quasi_cell
from presentation.measures import why_absent
from presentation.numbers import counted, decimals, percent
from presentation.tables import ABSENT
from psychometrics.inference.estimates import Reason
from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.headline import AVERAGE, Headline, ability_of, interval_of
from reporting.views.headline.standing import models_within

RAW, ABILITY = "raw", "ability"
CATEGORY = "category:"


@dataclass(frozen=True)
class CategoryShown:
    """One category. `words` say what it rests on and how many models its interval holds. Without a drawing
    there is no number, and `why` says so.
    """

    name: str
    code: str
    value: str
    ends: str
    words: str
    drawing: Drawing | None
    about: str
    why: str = ""


def categories_shown(headline: Headline, values: str, names: CodeNames) -> list[CategoryShown]:
    """By name. `values` are abilities, or raw scores."""
    averages = [row for row in headline.report.categories if row.group == AVERAGE]
    tops = {row.category: row for row in headline.report.categories if row.group != AVERAGE}
    parts = {row.category: _part(headline, row, tops.get(row.category), values, names) for row in averages}
    drawn = [part for part in parts.values() if part]
    whole = _value(headline, headline.average, values) if headline.average else None
    scale, say = shared_scale(drawn, whole), _say(values)
    axis: Say = (lambda value, _places: percent(value, 0)) if values == RAW else decimals
    categories = []
    for row in averages:
        part, name = parts[row.category], names.category(row.category)
        code = name.code if name != name.code else ""
        words = ngettext("%(number)s answer", "%(number)s answers", row.pairs) % {
            "number": counted(row.pairs)
        }
        if part is None:
            # Above or below what an ability lies that has no value; else a dash.
            bound = ABSENT if values == RAW else quasi_cell(row) if headline.scale == "ql" else pool_cell(row)
            reason = row.withheld or (row.reason_ql if headline.scale == "ql" else row.reason_pool)
            why = _("no number (%(why)s)") % {"why": why_absent(reason or Reason.NOTHING_SCORED)}
            categories.append(CategoryShown(str(name), code, bound, "", words, None, "", why))
            continue
        ends = _("no interval")
        if part.low is not None and part.high is not None:
            ends = _("%(low)s to %(high)s") % {"low": say(part.low), "high": say(part.high)}
            if part.models:
                within = models_within([model.value for model in part.models], part.low, part.high)
                words = f"{words}; {within}"
        drawing = multiple(part, scale, axis, whole)
        categories.append(CategoryShown(str(name), code, say(part.value), ends, words, drawing, part.told))
    return sorted(categories, key=lambda category: category.name.casefold())


def _part(
    headline: Headline, row: GroupNumbers, top: GroupNumbers | None, values: str, names: CodeNames
) -> Part | None:
    value, of_top = _value(headline, row, values), _value(headline, top, values) if top else None
    if value is None:
        return None
    ends, say = interval_of(row, headline.scale), _say(values)
    if values == RAW:
        stored = headline.get("raw_mean", AVERAGE, f"{CATEGORY}{row.category}")
        ends = None
        if stored is not None and stored.low is not None and stored.high is not None:
            ends = stored.low, stored.high
    category = names.category(row.category)
    text = _("%(category)s: %(value)s, 95 %% interval %(ends)s") % {
        "category": category, "value": say(value),
        "ends": f"{say(ends[0])} – {say(ends[1])}" if ends else _("none"),
    }  # fmt: skip
    top_text = (
        _("%(category)s, Top picked by these same scores: %(value)s")
        % {"category": category, "value": say(of_top)}
        if of_top is not None
        else ""
    )
    low, high = ends or (None, None)
    models = [
        Beside(model.value or 0.0, f"{model.details['model']}: {say(model.value or 0.0)}")
        for model in headline.models_in(row.category, raw=values == RAW)
    ]
    return Part(value, low, high, text, of_top, top_text, models)


def _value(headline: Headline, row: GroupNumbers, values: str) -> float | None:
    return row.raw_mean if values == RAW else ability_of(row, headline.scale)


def _say(values: str) -> Callable[[float], str]:
    return (lambda value: percent(value, 0)) if values == RAW else decimals
