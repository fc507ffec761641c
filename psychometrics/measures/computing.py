"""Compute one block from its inputs; which function computes which, in the order they run and are shown."""

import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from formats.wording import gettext_noop
from psychometrics.agreement.influence import without_selection
from psychometrics.data.cohort import Cohort
from psychometrics.data.places import PUBLIC
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.measure import Block, Measure, NotMeasurable, Scope
from psychometrics.measures.blocks.benchmark import benchmark_measures
from psychometrics.measures.blocks.cohort import cohort_measures
from psychometrics.measures.blocks.dif import dif_measures
from psychometrics.measures.blocks.exclusions import exclusion_measures
from psychometrics.measures.blocks.fit import fit_measures
from psychometrics.measures.blocks.judge import judge_measures
from psychometrics.measures.blocks.missing import missing_measures
from psychometrics.measures.blocks.models import model_measures
from psychometrics.measures.blocks.results import result_measures
from psychometrics.measures.blocks.slices import slice_measures
from psychometrics.measures.blocks.top import top_measures
from psychometrics.measures.blocks.uncertainty import uncertainty_measures
from psychometrics.measures.catalogue import CATALOGUE, Unit
from psychometrics.measures.disclosure import disclosed
from psychometrics.measures.inputs import Inputs
from psychometrics.measures.logistic_scale import LOGISTIC_BANK, ONLY_LOGITS, on_logistic_scale

OTHER_ANSWERS = ("as-zero", "bound:", "floor:")  # subsets that do not rest on the group's own answers alone
OF_TOP = ("top.paper", "top.paper.ql")  # abilities of the very people that Top is made of
ONLY_TASKS = gettext_noop(
    "The items of the study's item bank are tasks, not prompts: no single answer has a theta. Theta on the "
    "tasks is in the block Benchmark."
)
BLOCKS: Mapping[Block, Callable[[Inputs], Iterator[Measure]]] = {
    Block.RESULTS: result_measures,
    Block.COHORT: cohort_measures,
    Block.TOP: top_measures,
    Block.UNCERTAINTY: uncertainty_measures,
    Block.MODELS: model_measures,
    Block.MISSING: missing_measures,
    Block.EXCLUSIONS: exclusion_measures,
    Block.JUDGE: judge_measures,
    Block.FIT: fit_measures,
    Block.DIF: dif_measures,
    Block.SLICES: slice_measures,
    Block.BENCHMARK: benchmark_measures,
}
# The headlines are stored with the results themselves, whatever becomes of the other blocks.
MEASURED = tuple(block for block in BLOCKS if block != Block.RESULTS)
# These have nothing to say where no prompt has item parameters.
THETA_ONLY = frozenset({Block.TOP, Block.UNCERTAINTY, Block.MODELS, Block.FIT, Block.DIF, Block.SLICES})


def cohorts_of(everyone: Cohort) -> dict[Scope, Cohort]:
    """Whom each scope measures; there is one scope where no prompt of a private split was asked."""
    if all(prompt.split == PUBLIC for prompt in everyone.prompts):
        return {Scope.ALL: everyone}
    return {Scope.ALL: everyone, Scope.PUBLIC: everyone.public}


def block_rng(seed: int, block: Block) -> np.random.Generator:
    """A stream of its own for each block."""
    return np.random.default_rng([seed, zlib.crc32(block.encode())])


def block_measures(block: Block, inputs: Inputs, *, only_tasks: bool = False) -> list[Measure]:
    """The measures of a block; what is not on the scale of the item bank is left out.

    `only_tasks`: the items of the bank are tasks, no prompts. Raises NotMeasurable.
    """
    logistic = is_logistic(inputs)
    if (only_tasks and block in THETA_ONLY) or (logistic and block in ONLY_LOGITS):
        raise NotMeasurable(off_scale(block, inputs, only_tasks=only_tasks))
    return list(on_scale(block, inputs, BLOCKS[block](inputs)))


def on_scale(block: Block, inputs: Inputs, measures: Iterable[Measure]) -> Iterator[Measure]:
    """Measures of a block as they are stored: nothing of too few, on the scale of the bank, no interval that
    ignores a choice.
    """
    stored = _as_stored(block, inputs, disclosed(block, measures, inputs.withheld))
    return on_logistic_scale(stored) if is_logistic(inputs) else stored


def is_logistic(inputs: Inputs) -> bool:
    return inputs.items is not None and inputs.items.is_logistic


def _as_stored(block: Block, inputs: Inputs, measures: Iterable[Measure]) -> Iterator[Measure]:
    """With the reason that there is no Top, a bound where the squeeze alone gave a number, no interval that
    ignores a choice.
    """
    for measure in measures:
        estimate, is_top = measure.estimate, measure.group == "top"
        # Where there is no Top its numbers say so, and not that nobody's answer has a score.
        if is_top and estimate.reason == Reason.NOTHING_SCORED and not inputs.top.any():
            estimate = unknown(Reason.TOO_FEW_PEOPLE)
        # No number in logits of people all of whose scores are 1, or all 0: the squeeze would make it.
        in_logits = CATALOGUE[measure.name].unit in (Unit.LOGITS, Unit.QL) and "model" not in measure.details
        bound = inputs.bounds.get(measure.group or "average") if in_logits and estimate.known else None
        # The block Exclusions is of other people, those left out among them, and looks at their own scores.
        if bound and block != Block.EXCLUSIONS and not measure.subset.startswith(OTHER_ANSWERS):
            estimate = bound if measure.name in OF_TOP else unknown(Reason.NO_FINITE_SOLUTION)
        # No interval of people who were chosen by these very scores: it would leave out the choice. Those of
        # the block Top allow for it, or are labelled in-sample. The block Models leaves its own out; what it
        # keeps under Top is of models on the prompts of these people.
        has_interval = not math.isnan(estimate.low) or estimate.reason is not None
        if is_top and block not in (Block.TOP, Block.MODELS) and has_interval:
            estimate = without_selection(estimate)
        yield measure if estimate is measure.estimate else replace(measure, estimate=estimate)


def off_scale(block: Block, inputs: Inputs, *, only_tasks: bool) -> str:
    """What a block says where single answers, or their logits, are not on the scale of the item bank."""
    if only_tasks and block != Block.BENCHMARK:
        return ONLY_TASKS
    return LOGISTIC_BANK if is_logistic(inputs) else ""
