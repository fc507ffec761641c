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


def categories_shown(found: Headline, values: str, names: CodeNames) -> list[CategoryShown]:
    """By name. `values` are abilities, or raw scores."""
    averages = [row for row in found.report.categories if row.group == AVERAGE]
    tops = {row.category: row for row in found.report.categories if row.group != AVERAGE}
    parts = {row.category: _part(found, row, tops.get(row.category), values, names) for row in averages}
    drawn = [part for part in parts.values() if part]
    whole = _value(found, found.average, values) if found.average else None
    scale = shared_scale(drawn, whole)
    shown = [
        CategoryShown(
            name=str(name := names.category(row.category)),
            code=name.code if name != name.code else "",
            value=_say(values)(part.value) if part else _bound(found, row, values),
            ends=_ends(part, values) if part else "",
            words=_words(row, part),
            drawing=multiple(part, scale, _axis_numbers(values), whole) if part else None,
            about=part.told if part else "",
            why="" if part else _why(found, row),
        )
        for row, part in ((row, parts[row.category]) for row in averages)
    ]
    return sorted(shown, key=lambda one: one.name.casefold())


def _bound(found: Headline, row: GroupNumbers, values: str) -> str:
    """Above or below what an ability lies that has no value; else a dash."""
    return ABSENT if values == RAW else quasi_cell(row) if found.scale == "ql" else pool_cell(row)


def _why(found: Headline, row: GroupNumbers) -> str:
    """Why there is no number, in the words of every other page."""
    why = row.withheld or (row.reason_ql if found.scale == "ql" else row.reason_pool)
    return _("no number (%(why)s)") % {"why": why_absent(why or Reason.NOTHING_SCORED)}


def _ends(part: Part, values: str) -> str:
    say = _say(values)
    if part.low is None or part.high is None:
        return _("no interval")
    return _("%(low)s to %(high)s") % {"low": say(part.low), "high": say(part.high)}


def _words(row: GroupNumbers, part: Part | None) -> str:
    answers = ngettext("%(number)s answer", "%(number)s answers", row.pairs) % {"number": counted(row.pairs)}
    if part is None or part.low is None or part.high is None or not part.models:
        return answers
    return f"{answers}; {models_within([one.value for one in part.models], part.low, part.high)}"


def _part(
    found: Headline, row: GroupNumbers, top: GroupNumbers | None, values: str, names: CodeNames
) -> Part | None:
    value, of_top = _value(found, row, values), _value(found, top, values) if top else None
    if value is None:
        return None
    ends, say = _interval(found, row, values), _say(values)
    category = names.category(row.category)
    told = _("%(category)s: %(value)s, 95 %% interval %(ends)s") % {
        "category": category, "value": say(value),
        "ends": f"{say(ends[0])} – {say(ends[1])}" if ends else _("none"),
    }  # fmt: skip
    top_told = (
        _("%(category)s, Top picked by these same scores: %(value)s")
        % {"category": category, "value": say(of_top)}
        if of_top is not None
        else ""
    )
    low, high = ends or (None, None)
    models = [
        Beside(model.value or 0.0, f"{model.details['model']}: {say(model.value or 0.0)}")
        for model in found.models_in(row.category, raw=values == RAW)
    ]
    return Part(value, low, high, told, of_top, top_told, models)


def _value(found: Headline, row: GroupNumbers, values: str) -> float | None:
    return row.raw_mean if values == RAW else ability_of(row, found.scale)


def _interval(found: Headline, row: GroupNumbers, values: str) -> tuple[float, float] | None:
    if values != RAW:
        return interval_of(row, found.scale)
    stored = found.get("raw_mean", AVERAGE, f"{CATEGORY}{row.category}")
    if stored is None or stored.low is None or stored.high is None:
        return None
    return stored.low, stored.high


def _axis_numbers(values: str) -> Say:
    return (lambda value, _places: percent(value, 0)) if values == RAW else decimals


def _say(values: str) -> Callable[[float], str]:
    return (lambda value: percent(value, 0)) if values == RAW else decimals
