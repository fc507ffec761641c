"""Numbers as the reader's language writes them."""

from django.utils.formats import number_format
from django.utils.functional import Promise

Text = Promise | str
ABSENT = "–"


def decimals(value: float | None, places: int) -> str:
    """A number as the reader's language writes it, with a real minus sign; a dash where there is none."""
    if value is None:
        return ABSENT
    rounded = round(value, places) or 0.0  # no minus before zero
    return number_format(rounded, places).replace("-", "−")
