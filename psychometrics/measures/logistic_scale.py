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
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.measure import Block, Measure

LOGISTIC_BANK = gettext_noop(
    "The item bank was fitted with the logistic 2PL, so ability on its own scale is theta_QL; the page "
    "Average and people has it for both groups. Theta by logits of scores, and what rests on it, is not on "
    "that scale and is left empty."
)
ONLY_LOGITS = frozenset({Block.TOP, Block.FIT, Block.DIF})  # all of these rests on logits
WITHOUT_ABILITY = (
    "absence.", "answers.", "benchmark.", "design.", "exclusion.", "flow.", "human.", "judge.certain",
    "judge.confidence", "judge.unscored", "labels.", "missing.odds_ratio", "private.", "rule.",
    "screening.", "share.", "task.",
)  # fmt: skip
COUNTS = frozenset({"batches", "coverage", "k_bar", "pairs", "participants", "people", "prompts", "raw_mean"})
PUBLISHED = "theta.published"  # on whatever scale those who published it used, and marked as theirs
THETAS_BY_LOGITS = frozenset(
    f"{owner}theta.{by}"
    for owner in ("", "itt.", "judge.", "missing.", "models.", "slices.", "uncertainty.")
    for by in ("pool", "prompt")
)
SHOWN_EMPTY = THETAS_BY_LOGITS | {
    "difference.modelled", "difference.pool", "difference.prompt", "theta.epochs", "theta.modelled_k1",
    "theta.prompt.analytic", "theta.task", "theta.task.model",
}  # fmt: skip
VERDICT = "verdict"  # of a comparison by logits


def on_logistic_scale(measures: Iterable[Measure]) -> Iterator[Measure]:
    """The measures of a study on a logistic bank, without a number on the scale of logits."""
    for one in measures:
        if stands(one.name):
            yield one
        elif one.name in SHOWN_EMPTY:
            yield replace(one, estimate=unknown(Reason.LOGISTIC_BANK), details=told(one.details))


def stands(name: str) -> bool:
    """Whether a measure of this name needs no logit of a score."""
    by_likelihood = "ql" in name.split(".")
    return by_likelihood or name in COUNTS or name == PUBLISHED or name.startswith(WITHOUT_ABILITY)


def told(details: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What a measure is about and how it was made, without a number: words, yes or no, and nothing."""
    return {
        name: value
        for name, value in details.items()
        if name != VERDICT and isinstance(value, str | bool | None)
    }
