"""Cells of the tables of models."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from presentation.columns import ABSENT
from presentation.measures import group_name
from presentation.numbers import decimals, span_or_one
from scoring.models import MeasureRow

ONLY_PUBLISHED = "published_only"


def by_theta(rows: Iterable[MeasureRow]) -> list[MeasureRow]:
    """The highest first, rows without a value last."""
    return sorted(rows, key=lambda row: (row.value is None, -(row.value or 0)))


def model_name(row: MeasureRow) -> str:
    name = str(row.details.get("model", ""))
    return _("%(model)s (published only)") % {"model": name} if row.details.get(ONLY_PUBLISHED) else name


def row_name(row: MeasureRow) -> str:
    return model_name(row) if row.subset else group_name(row.group)


def k_note(row: MeasureRow | None) -> str:
    """The numbers of responses that a comparison was made at, the same or not."""
    if row is None or row.value is None:
        return ""
    human, model = row.details.get("k_human"), row.details.get("k_model")
    if human is None or model is None:
        return ""
    numbers = {"human": decimals(human, 1), "model": decimals(model, 1)}
    return " " + _("(k human = %(human)s, k model = %(model)s)") % numbers


def shared_k_note(rows: Iterable[MeasureRow | None]) -> str:
    """The numbers of responses where all of these comparisons were made at the same; "" where they differ."""
    notes = {note for row in rows if (note := k_note(row))}
    return notes.pop() if len(notes) == 1 else ""


def verdict_cell(row: MeasureRow | None) -> str:
    words = {
        "above": _("above"),
        "below": _("below"),
        "not_distinguishable": _("not distinguishable"),
    }
    return words.get(row.details.get("verdict", ""), ABSENT) if row is not None else ABSENT


def places_cell(row: MeasureRow) -> str:
    return span_or_one(row.details.get("place_best"), row.details.get("place_worst"), 0)


def theta_range(rows: Sequence[MeasureRow]) -> str:
    values = [row.value for row in rows if row.value is not None]
    return span_or_one(min(values), max(values))
