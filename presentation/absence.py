"""Why a number is absent, in words."""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext_lazy

from presentation.numbers import ABSENT, Text
from presentation.tables import Table
from psychometrics.inference.estimates import Reason

WHY_ABSENT: Mapping[str, Text] = MappingProxyType(
    {
        Reason.NO_PAIRS.value: gettext_lazy("nothing was scored by both judges"),
        Reason.TOO_FEW_PAIRS.value: gettext_lazy("too few pairs"),
        Reason.X_CONSTANT.value: gettext_lazy("x gave one score throughout"),
        Reason.Y_CONSTANT.value: gettext_lazy("y gave one score throughout"),
        Reason.NO_VARIATION.value: gettext_lazy("the scores do not vary"),
        Reason.NO_FINITE_SOLUTION.value: gettext_lazy("all scores are 0, or all are 1"),
        Reason.NOTHING_SCORED.value: gettext_lazy("nothing is scored here"),
        Reason.NOT_JUDGED.value: gettext_lazy("it needs answers that were never judged"),
        Reason.TOO_FEW_PEOPLE.value: gettext_lazy("too few people"),
        Reason.TOO_FEW_PROMPTS.value: gettext_lazy("too few prompts"),
        Reason.TOO_FEW_QUESTIONS.value: gettext_lazy("hidden: too few questions per task"),
        Reason.NOT_RATED_TWICE.value: gettext_lazy("not measured: nobody was rated twice"),
        Reason.SEPARATED.value: gettext_lazy("no finite estimate: it predicts some outcomes with certainty"),
        Reason.EPOCHS_UNKNOWN.value: gettext_lazy("not modelled: the number of epochs is not published"),
        Reason.BEYOND_SIMULATION.value: gettext_lazy("not modelled: beyond all simulated abilities"),
        Reason.LOGISTIC_BANK.value: gettext_lazy("logistic bank: see theta_QL"),
        Reason.ONE_CLUSTER.value: gettext_lazy("no interval: all scores belong together"),
        Reason.OTHER_DESIGN.value: gettext_lazy("refused: prompts were assigned in another way"),
        Reason.SELECTED.value: gettext_lazy("no interval: chosen on the outcome"),
        Reason.LESS_THAN_CHANCE.value: gettext_lazy("people differ less than their errors would make them"),
        Reason.CHANCE_ONLY.value: gettext_lazy("no interval: prompts differ by chance only"),
        Reason.TOO_FEW_RESAMPLES.value: gettext_lazy("no interval: too few resamples"),
        Reason.UNSTABLE.value: gettext_lazy("no interval: undefined in too many resamples"),
        Reason.ONE_SIDED.value: gettext_lazy(
            "no interval: nearly all resamples lie on one side of the value"
        ),
        Reason.NOT_PUBLISHED.value: gettext_lazy("no interval: none was published"),
        Reason.NO_SPREAD.value: gettext_lazy("no interval: the same in all resamples"),
        Reason.EARLIER_VERSION.value: gettext_lazy("no interval: compute the results again"),
    }
)


def why_absent(reason: str) -> Text:
    """The reason in words; "" where nothing is absent, the code where this version does not know it."""
    return WHY_ABSENT.get(reason, reason)


def says_little(table: Table) -> bool:
    """Whether half of what the cells of a table say, or more, is that there is no number."""
    cells = [cell for row in table.rows for cell in row[1:] if cell]
    absent = {ABSENT, *map(str, WHY_ABSENT.values())}
    return 2 * sum(1 for cell in cells if cell in absent) >= len(cells)
