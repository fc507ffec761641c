"""The block `results`: what its rows may say."""

from dataclasses import replace

import numpy as np

from psychometrics.inference.measure import Block
from psychometrics.measures.blocks.results import result_measures
from psychometrics.measures.computing import block_measures
from psychometrics.measures.inputs import Facts, Inputs
from tests.support.top_cohorts import cohort_with


def test_the_interval_of_a_mean_score_ends_where_scores_do() -> None:
    few = cohort_with([("A", "p1", 0.9), ("B", "p1", 1.0)])  # its t interval is 0.31 to 1.59
    inputs = Inputs(Facts(1), few, None, np.random.default_rng(1), 0, lambda done, of: None)
    raw = next(one for one in result_measures(inputs) if one.name == "raw_mean")
    assert (raw.estimate.value, raw.estimate.high) == (0.95, 1.0)
    assert 0 <= raw.estimate.low < raw.estimate.value


def test_a_bank_that_knows_no_prompt_of_the_study_shows() -> None:
    """Scored answers are off the bank, no pairs; only without a bank of prompts are they."""
    known = cohort_with([("A", "p1", 0.9), ("B", "p1", 1.0)])
    strange = replace(known, a=np.full_like(known.a, np.nan), b=np.full_like(known.b, np.nan))
    for sizes, pairs, off in (({"QR": 5}, 0, 2), ({}, 2, 0)):
        inputs = Inputs(
            Facts(1, items_by_category=sizes), strange, None, np.random.default_rng(1), 0, lambda *_: None
        )
        found = {one.name: one.estimate for one in result_measures(inputs) if one.group == "average"}
        assert (found["pairs"].value, found["answers.unknown_items"].value) == (pairs, off)
        assert found["raw_mean"].known == bool(pairs)


def test_where_there_is_no_top_every_block_gives_the_same_reason() -> None:
    few = cohort_with(
        [(code, name, score) for code, score in (("A", 0.9), ("B", 0.4)) for name in ("p1", "p2")]
    )
    for block in (Block.RESULTS, Block.MISSING, Block.SLICES):
        inputs = Inputs(Facts(2), few, None, np.random.default_rng(1), 0, lambda done, of: None)
        found = [one for one in block_measures(block, inputs) if one.group == "top" and "theta" in one.name]
        assert {str(one.estimate.reason) for one in found} == {"too_few_people"}, block
