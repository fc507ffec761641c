"""What of a measurement stands on an item bank of the logistic 2PL.

    P(right) = 1 / (1 + exp(-a (theta - b)))

Its maximum likelihood is the root of sum a (p - pi(theta)) = 0 at p in {0, 1}, which is theta_QL
(`psychometrics.irt.quasi_likelihood`): that stands, with its errors and differences, and so does what needs
no ability. Logits of scores are on another scale (measurement.md, section 7). An ability or a difference by
them has no value, only its reason; what else rests on them is left out. So is a name that is not listed here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from formats.canonical import JsonValue
from formats.wording import gettext_noop
from psychometrics.inference.estimates import WITHHELD, Reason, unknown
from psychometrics.inference.measure import Block, Measure
from psychometrics.measures.catalogue import CATALOGUE, OnLogistic

LOGISTIC_BANK = gettext_noop(
    "The item bank was fitted with the logistic 2PL, so ability on its own scale is theta_QL; the page "
    "Average and people has it for both groups. Theta by logits of scores, and what rests on it, is not on "
    "that scale and is left empty."
)
ONLY_LOGITS = frozenset({Block.TOP, Block.FIT, Block.DIF})  # all of these rests on logits
ON_ANY_SCALE = WITHHELD | {Reason.NOTHING_SCORED}
VERDICT = "verdict"  # of a comparison by logits


def on_logistic_scale(measures: Iterable[Measure]) -> Iterator[Measure]:
    """The measures of a study on a logistic bank, without a number on the scale of logits."""
    for measure in measures:
        entry = CATALOGUE.get(measure.name)
        if entry is None or entry.on_logistic == OnLogistic.LEFT_OUT:
            continue
        if entry.on_logistic == OnLogistic.EMPTY:
            stands = entry.block == Block.RESULTS and measure.estimate.reason in ON_ANY_SCALE
            estimate = measure.estimate if stands else unknown(Reason.LOGISTIC_BANK)
            measure = replace(measure, estimate=estimate, details=told(measure.details))
        yield measure


def told(details: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What a measure is about and how it was made, without a number: words, yes or no, and nothing."""
    return {
        name: value
        for name, value in details.items()
        if name != VERDICT and isinstance(value, str | bool | None)
    }
