"""Every block with its page, in the order of the navigation."""

from collections.abc import Mapping

from psychometrics.inference.measure import Block
from reporting.views.measurement.blocks import (
    benchmark,
    cohort,
    dif,
    exclusions,
    fit,
    judge,
    missing,
    models,
    slices,
    top,
    uncertainty,
)
from reporting.views.measurement.parts import BlockPage

PAGES: Mapping[Block, BlockPage] = {
    Block.COHORT: cohort.PAGE,
    Block.TOP: top.PAGE,
    Block.UNCERTAINTY: uncertainty.PAGE,
    Block.MODELS: models.PAGE,
    Block.MISSING: missing.PAGE,
    Block.EXCLUSIONS: exclusions.PAGE,
    Block.JUDGE: judge.PAGE,
    Block.FIT: fit.PAGE,
    Block.DIF: dif.PAGE,
    Block.SLICES: slices.PAGE,
    Block.BENCHMARK: benchmark.PAGE,
}
