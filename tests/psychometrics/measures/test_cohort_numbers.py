"""The block `cohort`: what its rows may say."""

from psychometrics.measures.blocks.cohort import count_measures
from tests.support.top_cohorts import cohort_with


def test_the_interval_of_a_mean_score_ends_where_scores_do() -> None:
    few = cohort_with([("A", "p1", 0.9), ("B", "p1", 1.0)])  # its t interval is 0.31 to 1.59
    raw = next(one for one in count_measures("average", few) if one.name == "raw_mean")
    assert (raw.estimate.value, raw.estimate.high) == (0.95, 1.0)
    assert 0 <= raw.estimate.low < raw.estimate.value
