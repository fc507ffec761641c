"""What numbers of a study say of themselves: over which questions they are (where private ones were asked,
every number says so), and that the protocol was amended once there were some.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from django.utils.translation import gettext_lazy, ngettext

from presentation.numbers import Text, counted
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import LeadReason

# Of a group of numbers, and of a figure that is saved alone.
QUESTIONS: Mapping[Scope, Text] = {
    Scope.ALL: gettext_lazy("All questions"),
    Scope.PUBLIC: gettext_lazy("Public questions only"),
}
# Why the numbers of these questions stand first, and where the others are.
LEADS: Mapping[LeadReason, Text] = {
    LeadReason.ONE_SCOPE: "",
    LeadReason.ALL: gettext_lazy(
        "The protocol has the numbers of all questions stand first. Those of the public questions alone, Top "
        "chosen anew, can be computed again from the public export."
    ),
    LeadReason.PUBLIC: gettext_lazy(
        "The protocol has the numbers of the public questions stand first, by which Top is chosen as well, "
        "so that each can be computed again from the public export."
    ),
    LeadReason.ALL_WITHHELD: gettext_lazy(
        "The numbers of the public questions stand first, by which Top is chosen as well. Those of all "
        "questions are withheld: beside these they would tell of one or two private questions."
    ),
    LeadReason.ALL_PRIVATE: gettext_lazy("No public question was asked, so the numbers are of private ones."),
    LeadReason.NEITHER: gettext_lazy(
        "There is no number to show: no public question was asked, and so few private ones have a score that "
        "any number would tell of single ones."
    ),
}


class Numbered(Protocol):
    """An amendment by its number."""

    @property
    def number(self) -> int: ...


def after_results_sentence(amendments: Iterable[Numbered]) -> str:
    """That these were, as every surface of the results says it. Needs one."""
    numbers = [amendment.number for amendment in amendments]
    return ngettext(
        "The protocol was amended after results had been computed, so that they may have been seen: "
        "amendment %(numbers)s.",
        "The protocol was amended after results had been computed, so that they may have been seen: "
        "amendments %(numbers)s.",
        len(numbers),
    ) % {"numbers": ", ".join(counted(number) for number in numbers)}
