"""What is said of amendments that were made when results could have been seen."""

from collections.abc import Iterable
from typing import Protocol

from django.utils.translation import ngettext

from presentation.numbers import counted


class Numbered(Protocol):
    """An amendment by its number."""

    @property
    def number(self) -> int: ...


def after_results_sentence(amendments: Iterable[Numbered]) -> str:
    """That these were, as every surface of the results says it. Needs one."""
    numbers = [one.number for one in amendments]
    return ngettext(
        "The protocol was amended after results had been computed, so that they may have been seen: "
        "amendment %(numbers)s.",
        "The protocol was amended after results had been computed, so that they may have been seen: "
        "amendments %(numbers)s.",
        len(numbers),
    ) % {"numbers": ", ".join(counted(number) for number in numbers)}
