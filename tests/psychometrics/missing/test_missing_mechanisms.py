"""A small version of benchmarks' missing_answers.py: who is favoured by leaving missing answers out."""

import numpy as np
import pytest

from benchmarks.measurement.missing_answers import simulate


def test_at_random_leaving_out_is_right_and_zeros_cost_a_quarter_of_a_logit() -> None:
    found = {name: float(np.mean(values)) for name, values in simulate(0.0, 0.0, 60, 1).items()}
    assert abs(found["average as missing"] - found["average complete"]) < 0.01
    assert 0.2 < found["average complete"] - found["average as zero"] < 0.4
    assert 2.5 < found["replaced by zeros"] < 5


# How much avoiding flatters depends on the items; the bounds are those of the real ones.
@pytest.mark.usefixtures("shared_data")
def test_avoiding_hard_prompts_flatters_the_average_and_top_more() -> None:
    found = {name: float(np.mean(values)) for name, values in simulate(0.25, 1.5, 60, 1).items()}
    assert 0.02 < found["average as missing"] - found["average complete"] < 0.07
    assert 0.04 < found["top as missing"] - found["top complete"] < 0.16
    assert found["missing among top"] > 0.08
    assert abs(found["top complete"] - found["top as zero"]) < 0.08
