"""Which function computes which block, in the order they run and are shown."""

from collections.abc import Callable, Iterator, Mapping

from psychometrics.inference.measure import Block, Measure
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
from psychometrics.measures.inputs import Inputs

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
