"""What is told of a result at all, and what of it may leave the site.

Which parts are too few is one decision over the whole table of parts (`psychometrics.inference.disclosure`).
A number of such a part is never stored: its row has no value and says why, wherever it is shown. Beyond that,
in a study that asks prompts of a private split, what is about one person, one private prompt or one task
stays while answers to private prompts are part of it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from formats.wording import gettext_noop
from psychometrics.inference.estimates import WITHHELD, Reason, unknown
from psychometrics.inference.measure import (
    ALL,
    AVERAGE,
    CATEGORY,
    TASK,
    TOP,
    Block,
    Measure,
    Name,
    NotMeasurable,
    Scope,
)
from psychometrics.measures.catalogue import CATALOGUE, Unit
from psychometrics.measures.logistic_scale import told

COUNTED = frozenset({Unit.COUNT, Unit.MEAN_COUNT, Unit.SHARE})  # told of a part with its people and prompts
OF_CATEGORIES = "models.category."
OF_PROMPTS = WITHHELD - {Reason.TOO_FEW_PEOPLE}
REFUSED = {
    Reason.TOO_FEW_PEOPLE: gettext_noop("No number is told: it would be one person's own."),
    Reason.TOO_FEW_PROMPTS: gettext_noop("No number is told: it would be one prompt's own."),
    Reason.TOO_FEW_PRIVATE: gettext_noop(
        "Everything here would tell of one or two private prompts; the public ones by themselves have "
        "numbers of their own."
    ),
    Reason.COMPLEMENT: gettext_noop(
        "No number of Top is told: beside Average it would tell of what little Top leaves out."
    ),
}


def disclosed(
    block: Block, measures: Iterable[Measure], withheld: Mapping[Name, Reason]
) -> Iterator[Measure]:
    """The measures of a block; of a part that must not be told without the number, and with the reason.

    Raises NotMeasurable where not even everybody together may be told of, or all of Top in its own block: the
    headlines say so in their rows.
    """
    of_all = withheld.get((AVERAGE, ALL)) or (withheld.get((TOP, ALL)) if block == Block.TOP else None)
    for measure in measures:
        if block != Block.RESULTS and of_all:
            raise NotMeasurable(REFUSED[of_all])
        # The part of people's answers that the number is of, as a subset. Behind that of a category the name
        # of a model stands in a subset; the category may have any sign in it.
        part = measure.subset if measure.subset.startswith((CATEGORY, TASK)) else ALL
        if measure.name.startswith(OF_CATEGORIES):
            part = f"{CATEGORY}{measure.details['category']}"
        why = withheld.get((measure.group or AVERAGE, part))
        if why is None or CATALOGUE[measure.name].unit in COUNTED:
            yield measure
        else:
            yield replace(measure, estimate=unknown(why), details=told(measure.details))


@dataclass(frozen=True)
class Disclosure:
    """What of one set of results leaves.

    `split`: private prompts were asked, so that there are two scopes. `few`: not even everybody together may
    be told of over all answers. `public`: ids of the public prompts.
    """

    split: bool
    public: frozenset[str]
    few: bool = False

    def may_leave(self, block: Block, scope: Scope, measure: Measure) -> bool:
        """Whether this row may be in an export or a report. Who withdrew later is left out at reading."""
        if measure.prompt_id and measure.prompt_id not in self.public:
            return False
        if not self.split or scope == Scope.PUBLIC:
            return True
        by_task = (
            block == Block.BENCHMARK
            or measure.subset.startswith(TASK)
            or measure.name.startswith("benchmark.")
        )
        return not (self.few or by_task or measure.participant or measure.prompt_id)


def disclosure_of(headlines: Iterable[Measure], *, split: bool, public: Iterable[str]) -> Disclosure:
    """The rule, from the headlines over all answers: what they withhold of everybody, nothing else tells.

    Without headlines nobody knows on how many private prompts the numbers rest. Too few people hide no scope
    behind another: over public prompts there are as few.
    """
    means = [
        headline
        for headline in headlines
        if (headline.name, headline.group, headline.subset) == ("raw_mean", AVERAGE, ALL)
    ]
    few = split and (not means or any(mean.estimate.reason in OF_PROMPTS for mean in means))
    return Disclosure(split, frozenset(public), few)
