"""Which function computes which block, in the order they run and are shown."""

from collections.abc import Mapping

from psychometrics.inference.measure import Block
from scoring.services.measurement.blocks.benchmark import benchmark_measures
from scoring.services.measurement.blocks.cohort import cohort_measures
from scoring.services.measurement.blocks.dif import dif_measures
from scoring.services.measurement.blocks.exclusions import exclusion_measures
from scoring.services.measurement.blocks.fit import fit_measures
from scoring.services.measurement.blocks.judge import judge_measures
from scoring.services.measurement.blocks.missing import missing_measures
from scoring.services.measurement.blocks.models import model_measures
from scoring.services.measurement.blocks.slices import slice_measures
from scoring.services.measurement.blocks.top import top_measures
from scoring.services.measurement.blocks.uncertainty import uncertainty_measures
from scoring.services.measurement.inputs import BlockFunction

BLOCKS: Mapping[Block, BlockFunction] = {
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
THETA_ONLY = frozenset(
    {Block.TOP, Block.UNCERTAINTY, Block.MODELS, Block.FIT, Block.DIF, Block.SLICES}
)  # these have nothing to say where no prompt has item parameters
