"""Categories as small multiples: each on the axis that all share, beside where all questions together are."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from presentation.drawings.multiples import Part, multiple, shared_scale
from presentation.drawings.scales import Say
from presentation.drawings.shapes import Drawing
from presentation.numbers import counted, decimals, percent
from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.headline import AVERAGE, Headline, ability_of, interval_of

RAW, ABILITY = "raw", "ability"
CATEGORY = "category:"


@dataclass(frozen=True)
class CategoryShown:
    """One category. Without a drawing there is no number, and `why` says so."""

    name: str
    value: str
    answers: str
    drawing: Drawing | None
    about: str
    why: str = ""


def categories_shown(found: Headline, values: str) -> list[CategoryShown]:
    """By name. `values` are abilities, or raw scores."""
    averages = [row for row in found.report.categories if row.group == AVERAGE]
    tops = {row.category: row for row in found.report.categories if row.group != AVERAGE}
    parts = {row.category: _part(found, row, tops.get(row.category), values) for row in averages}
    drawn = [part for part in parts.values() if part]
    whole = _value(found, found.average, values) if found.average else None
    scale = shared_scale(drawn, whole)
    say = _say(values)
    shown = []
    for row in averages:
        part = parts[row.category]
        shown.append(
            CategoryShown(
                name=row.category,
                value=say(part.value) if part else "–",
                answers=_("%(number)s answers") % {"number": counted(row.pairs)},
                drawing=multiple(part, scale, _axis_numbers(values), whole) if part else None,
                about=part.told if part else "",
                why="" if part else _("no number: too little is scored here"),
            )
        )
    return shown


def _part(found: Headline, row: GroupNumbers, top: GroupNumbers | None, values: str) -> Part | None:
    value, of_top = _value(found, row, values), _value(found, top, values) if top else None
    if value is None:
        return None
    ends, say = _interval(found, row, values), _say(values)
    told = _("%(category)s: %(value)s, 95 %% interval %(ends)s") % {
        "category": row.category, "value": say(value),
        "ends": f"{say(ends[0])} – {say(ends[1])}" if ends else _("none"),
    }  # fmt: skip
    top_told = (
        _("%(category)s, Top picked by these same scores: %(value)s")
        % {"category": row.category, "value": say(of_top)}
        if of_top is not None
        else ""
    )
    low, high = ends or (None, None)
    return Part(value, low, high, told, of_top, top_told)


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
