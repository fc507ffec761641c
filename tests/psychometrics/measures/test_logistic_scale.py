"""What of a measurement is let through on a bank of the logistic model."""

import math

from psychometrics.inference.estimates import Estimate, Reason
from psychometrics.inference.measure import Measure
from psychometrics.measures.logistic_scale import on_logistic_scale

KNOWN = Estimate(1.0, 0.1, 0.8, 1.2)


def test_theta_ql_and_counts_stand_as_they_are() -> None:
    names = (
        "theta.ql",
        "missing.theta.ql",
        "difference.ql",
        "itt.theta.ql.bound_low",
        "raw_mean",
        "share.skipped",
        "theta.published",
    )
    measures = [Measure(name, KNOWN, details={"p_holm": 0.01}) for name in names]
    assert list(on_logistic_scale(measures)) == measures


def test_an_ability_by_logits_keeps_its_place_and_loses_every_number() -> None:
    [one] = on_logistic_scale(
        [
            Measure(
                "difference.pool", KNOWN, group="average", subset="model:m", n=9,
                details={"model": "m", "p_holm": 0.01, "verdict": "above", "k_human": 1.0},
            )
        ]
    )  # fmt: skip
    assert (one.name, one.group, one.subset, one.n) == ("difference.pool", "average", "model:m", 9)
    assert math.isnan(one.estimate.value)
    assert math.isnan(one.estimate.low)
    assert one.estimate.reason is Reason.LOGISTIC_BANK
    assert one.details == {"model": "m"}


def test_what_rests_on_logits_otherwise_and_what_nobody_thought_of_is_left_out() -> None:
    names = (
        "tau",
        "person.swing",
        "mixed.sd_people",
        "multiverse.range",
        "influence.answer",
        "something.new",
        "dif.theta.pool",
        "arms.theta.pool",
    )
    assert list(on_logistic_scale(Measure(name, KNOWN) for name in names)) == []
