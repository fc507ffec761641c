"""The block `results`: what its rows may say."""

import numpy as np

from psychometrics.measures.blocks.results import result_measures
from psychometrics.measures.inputs import Facts, Inputs
from tests.support.top_cohorts import cohort_with


def test_the_interval_of_a_mean_score_ends_where_scores_do() -> None:
    few = cohort_with([("A", "p1", 0.9), ("B", "p1", 1.0)])  # its t interval is 0.31 to 1.59
    inputs = Inputs(Facts(1), few, None, np.random.default_rng(1), 0, lambda done, of: None)
    raw = next(one for one in result_measures(inputs) if one.name == "raw_mean")
    assert (raw.estimate.value, raw.estimate.high) == (0.95, 1.0)
    assert 0 <= raw.estimate.low < raw.estimate.value
