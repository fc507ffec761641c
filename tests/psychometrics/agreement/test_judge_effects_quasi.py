"""theta_QL under other scores of single answers: by hand, and as computing again gives it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from psychometrics.agreement.influence import quasi_change, quasi_changes_of_one, quasi_effect_of_flips
from psychometrics.data.cohort import Pairs
from psychometrics.inference.estimates import Reason
from psychometrics.inference.quasi_abilities import quasi_abilities
from psychometrics.irt.quasi_likelihood import theta_ql
from psychometrics.irt.transform import Array


def pairs_of(person: list[int], prompt: list[int], p: list[float]) -> Pairs:
    """Prompts of a = 1 and b = 0, where theta_QL is the logit of the mean score."""
    n = len(p)
    who, which = np.array(person, dtype=np.int64), np.array(prompt, dtype=np.int64)
    return Pairs(who, which, np.zeros(n, dtype=np.int64), np.array(p), np.ones(n), np.zeros(n), np.zeros(n))


def varied(rng: np.random.Generator) -> Pairs:
    prompt = np.tile(np.arange(6), 5)
    a, b = np.exp(rng.normal(0, 0.4, 6)), rng.normal(0, 1, 6)
    return Pairs(
        np.repeat(np.arange(5), 6), prompt, np.zeros(30, dtype=np.int64), rng.integers(0, 4, 30) / 3,
        a[prompt], b[prompt], np.zeros(30),
    )  # fmt: skip


def again(pairs: Pairs, p: Array) -> float:
    return theta_ql(pairs.a, pairs.b, p) - theta_ql(pairs.a, pairs.b, pairs.p)


def test_without_one_of_two_answers_theta_is_the_logit_of_the_other() -> None:
    found = quasi_changes_of_one(pairs_of([0, 1], [0, 0], [0.75, 0.25]), np.array([1]), np.array([math.nan]))

    assert found == pytest.approx([math.log(3)], abs=1e-11)


def test_the_change_with_one_answer_left_out_or_scored_otherwise_is_that_of_computing_again() -> None:
    pairs, places = varied(np.random.default_rng(1)), np.arange(30)
    left_out = quasi_changes_of_one(pairs, places, np.full(30, math.nan))
    otherwise = quasi_changes_of_one(pairs, places, np.full(30, 0.9))

    for row in places:
        rest, p = pairs.of(places != row), pairs.p.copy()
        p[row] = 0.9
        whole = theta_ql(pairs.a, pairs.b, pairs.p)
        assert left_out[row] == pytest.approx(theta_ql(rest.a, rest.b, rest.p) - whole, abs=1e-10)
        assert otherwise[row] == pytest.approx(again(pairs, p), abs=1e-10)


def test_the_change_under_other_scores_has_an_error_by_people() -> None:
    # Means .5 and .7: slopes n / 4 and n .21; each person's influence is 2 (p' - .7) / .84 - 2 (p - .5).
    pairs = pairs_of([0, 0, 1, 1], [0, 1, 0, 1], [0.8, 0.8, 0.2, 0.2])

    found = quasi_change(pairs, np.array([0.8, 0.8, 0.6, 0.6]))

    influence = 2 * 0.1 / 0.84 - 2 * 0.3
    assert found.estimate.value == pytest.approx(math.log(0.7 / 0.3), abs=1e-11)
    assert found.estimate.se == pytest.approx(math.sqrt(2 * 2 * influence**2), abs=1e-10)
    assert (found.n, found.clusters) == (4, 2)


def test_equal_scores_change_nothing_without_a_spread_and_full_credit_throughout_has_no_change() -> None:
    pairs = varied(np.random.default_rng(2))
    same, perfect = quasi_change(pairs, pairs.p), quasi_change(pairs, np.ones(30))

    assert (same.estimate.value, same.estimate.reason) == (0, Reason.NO_SPREAD)
    assert perfect.estimate.reason == Reason.NO_FINITE_SOLUTION
    nobody = pairs.of(np.zeros(30, dtype=bool))
    assert quasi_change(nobody, nobody.p).estimate.reason == Reason.NOTHING_SCORED
    assert quasi_changes_of_one(nobody, np.zeros(0, dtype=np.int64), np.zeros(0)).shape == (0,)


def test_flips_take_their_share_off_every_full_score() -> None:
    # Half of the answers have full credit: a tenth of it less is a mean of .45 instead of .5.
    found = quasi_effect_of_flips(pairs_of([0, 1], [0, 1], [1, 0]), share=0.1)

    assert found.value == pytest.approx(math.log(0.45 / 0.55), abs=1e-11)
    assert quasi_effect_of_flips(pairs_of([0], [0], [0.0])).reason == Reason.NO_FINITE_SOLUTION
    assert quasi_effect_of_flips(pairs_of([], [], [])).reason == Reason.NOTHING_SCORED


def test_abilities_on_the_scale_of_theta_ql_are_those_computed_by_hand() -> None:
    # theta = 0, s = +-.3, w = .25: S = +-.6, W = .5; t2 = (.72 - .36) / (.5 - .25) = 1.44;
    # phi = (.36 - 1.44 * .25) / 1 = 0, so that nothing is drawn in: u = S / W = +-1.2
    sure = pairs_of([0, 0, 1, 1], [0, 1, 0, 1], [0.8, 0.8, 0.2, 0.2])
    assert quasi_abilities(sure, 3).theta == pytest.approx([1.2, -1.2, 0.0], abs=1e-10)
    # s = +-.5, -+.1: S = +-.4, t2 = (.32 - .52) / .25 < 0: all have the ability of the group
    equal = pairs_of([0, 0, 1, 1], [0, 1, 0, 1], [1, 0.4, 0.0, 0.6])
    assert quasi_abilities(equal, 2).theta == pytest.approx([0, 0], abs=1e-12)
    # s = .4, .2, -.4, -.2: S = +-.6, sum s^2 = .4; t2 = (.72 - .4) / .25 = 1.28; phi = .4 - 1.28 * .25 = .08
    drawn = quasi_abilities(pairs_of([0, 0, 1, 1], [0, 1, 0, 1], [0.9, 0.7, 0.1, 0.3]), 2).theta
    assert drawn == pytest.approx([1.28 * 0.6 / (0.08 + 1.28 * 0.5), -1.28 * 0.6 / 0.72], abs=1e-10)


def test_abilities_need_two_answers_of_somebody_and_a_finite_theta_ql() -> None:
    assert quasi_abilities(pairs_of([0, 1], [0, 1], [0.2, 0.9]), 2).reason == Reason.TOO_FEW_PAIRS
    assert quasi_abilities(pairs_of([0, 0], [0, 1], [1, 1]), 1).reason == Reason.NO_FINITE_SOLUTION
    assert quasi_abilities(pairs_of([], [], []), 1).reason == Reason.NOTHING_SCORED
    whole = pairs_of([0, 0, 1, 1], [0, 1, 0, 1], [0.9, 0.7, 0.1, 0.3])
    order = np.array([3, 1, 0, 2])
    turned = replace(whole, person=whole.person[order], prompt=whole.prompt[order], p=whole.p[order])
    assert quasi_abilities(turned, 2).theta == pytest.approx(quasi_abilities(whole, 2).theta, abs=1e-12)
