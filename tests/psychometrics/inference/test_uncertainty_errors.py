"""Standard errors of theta: worked out by hand, at the edges, and what must not change them."""

import math

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, Pairs
from psychometrics.inference.clusters import linear_estimate
from psychometrics.inference.estimates import Reason
from psychometrics.inference.jackknife import (
    jackknife_error,
    prompt_thetas_without,
    quasi_thetas_without,
    theta_prompt,
    twoway_jackknife,
)
from psychometrics.inference.mixed_model import components_of, mixed_error, predicted_abilities
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.inference.standard_errors import (
    analytic_estimate,
    cluster_error,
    is_nested,
    participant_bootstrap,
    pooled_fit,
    quasi_fit,
    twoway_error,
)
from tests.psychometrics.inference.small_cohorts import SQUEEZE, Row, cohort, score


@pytest.fixture
def crossed() -> Cohort:
    """Two people on two prompts with y = 2, 0 (first person) and 0, -4; a = 1, b = 0, theta = -0.5."""
    rows = [(0, 0, 1, score(2)), (0, 1, 1, 0.5), (1, 0, 2, 0.5), (1, 1, 2, score(-4))]
    return cohort(rows, [1.0, 1.0], [0.0, 0.0])


def simulated(rng: np.random.Generator, *, people: int = 24, nested: bool = True) -> Cohort:
    a, b = np.exp(rng.normal(0, 0.4, 40)), rng.normal(0, 1.5, 40)
    rows: list[Row] = []
    for i in range(people):
        batch = i % 4
        asked = range(10 * batch, 10 * batch + 10) if nested else rng.permutation(40)[:10].tolist()
        ability = rng.normal(0, 1)
        rows += [
            (i, j, batch if nested else i, score(a[j] * (ability - b[j]) + rng.normal(0, 2))) for j in asked
        ]
    return cohort(rows, a.tolist(), b.tolist())


def test_errors_by_people_prompts_and_both_worked_out_on_paper(crossed: Cohort) -> None:
    pairs = crossed.pairs
    fit = pooled_fit(pairs)
    # e = 2.5, 0.5, 0.5, -3.5. By person 3 and -3, by prompt 3 and -3: V = 2 (9 + 9) / 16 = 2.25 each.
    # By pair, each of which weighs 1/4, 4/3 (6.25 + 0.25 + 0.25 + 12.25) / 16 = 19 / 12.
    assert fit.theta == pytest.approx(-0.5, abs=1e-12)
    assert cluster_error(fit, pairs.person).se == pytest.approx(1.5, abs=1e-12)
    assert cluster_error(fit, pairs.prompt).se == pytest.approx(1.5, abs=1e-12)
    both = twoway_error(fit, pairs)
    assert both.se == pytest.approx(math.sqrt(4.5 - 19 / 12), abs=1e-12)
    assert both.clusters == 2
    assert both.df == pytest.approx(1)


def test_the_two_way_error_is_never_below_the_one_by_people() -> None:
    # Within prompts the residuals cancel: V_I = 0, and V_P - V_HC0 alone would be too small.
    rows = [(0, 0, 1, score(2)), (0, 1, 1, score(2)), (1, 0, 2, score(-2)), (1, 1, 2, score(-2))]
    pairs = cohort(rows, [1.0, 1.0], [0.0, 0.0]).pairs
    fit = pooled_fit(pairs)

    assert twoway_error(fit, pairs).se == cluster_error(fit, pairs.person).se


def test_the_published_error_is_sigma_over_the_root_of_the_information() -> None:
    found = analytic_estimate(0.3, 16.0, 2.5)

    assert found.se == 0.625
    assert (found.low, found.high) == (0.3 - 1.96 * 0.625, 0.3 + 1.96 * 0.625)


def test_components_worked_out_on_paper(crossed: Cohort) -> None:
    found = components_of(crossed.pairs)
    # sum e^2 = 19. People: (18 - 19) / (8 - 4) < 0, prompts likewise: both put to zero, and s2 = 19 / 4.
    assert (found.people, found.prompts) == (0.0, 0.0)
    assert found.truncated == ("people", "prompts")
    assert found.answers == pytest.approx(4.75, abs=1e-12)
    assert mixed_error(crossed.pairs, found).se == pytest.approx(math.sqrt(4.75 / 4), abs=1e-12)


def test_two_people_who_differ_give_their_variance_on_paper() -> None:
    rows = [(0, 0, 1, score(3)), (0, 1, 1, score(1)), (1, 0, 2, score(-1)), (1, 1, 2, score(-3))]
    pairs = cohort(rows, [1.0, 1.0], [0.0, 0.0]).pairs
    found = components_of(pairs)
    # e = 3, 1, -1, -3: P = 4, -4, I = 2, -2. t2 = (32 - 20) / 4 = 3, d2 = (8 - 20) / 4 -> 0, s2 = 5 - 3.
    assert [found.people, found.prompts, found.answers] == pytest.approx([3.0, 0.0, 2.0], abs=1e-12)
    # The variance is 3 (4 + 4) / 16 + 2 / 4 = 2.
    assert mixed_error(pairs, found).se == pytest.approx(math.sqrt(2.0), abs=1e-12)
    # 3 * 4 / (2 + 3 * 2) = 1.5 away from theta = 0; the third person has no answer.
    assert predicted_abilities(pairs, found, 3).tolist() == pytest.approx([1.5, -1.5, 0.0], abs=1e-12)


def test_theta_by_prompt_means_without_each_person_is_what_a_second_fit_finds(crossed: Cohort) -> None:
    rng = np.random.default_rng(3)
    pairs = simulated(rng).pairs
    without = prompt_thetas_without(pairs, pairs.person, 24, SQUEEZE)
    again = [theta_prompt(pairs.of(pairs.person != i), SQUEEZE) for i in range(24)]
    assert without == pytest.approx(again, abs=1e-12)
    # Without the second person: y = 2, 0; without the first: 0, -4.
    alone = prompt_thetas_without(crossed.pairs, crossed.pairs.person, 2, SQUEEZE)
    assert alone == pytest.approx([-2.0, 1.0], abs=1e-12)
    assert jackknife_error(alone, 4).se == pytest.approx(1.5, abs=1e-12)  # 1/2 (1.5^2 + 1.5^2)


def test_theta_ql_without_each_batch_is_what_a_second_fit_finds() -> None:
    pairs = simulated(np.random.default_rng(4)).pairs
    without = quasi_thetas_without(pairs, pairs.batch, 4)
    again = [quasi_fit(pairs.of(pairs.batch != g)).theta for g in range(4)]
    assert without == pytest.approx(again, abs=1e-9)


def test_one_way_errors_are_those_of_the_estimators_that_have_them() -> None:
    pairs = simulated(np.random.default_rng(5)).pairs
    pooled = cluster_error(pooled_fit(pairs), pairs.batch)
    assert pooled.se == pytest.approx(linear_estimate(pairs.a, pairs.z, pairs.batch).estimate.se, rel=1e-12)
    quasi = cluster_error(quasi_fit(pairs), pairs.person)
    alone = quasi_estimate(pairs.a, pairs.b, pairs.p, pairs.person).estimate
    assert quasi.se == pytest.approx(alone.se, rel=1e-12)


def test_the_bootstrap_of_people_agrees_with_the_error_by_people() -> None:
    pairs = simulated(np.random.default_rng(6), people=160).pairs
    drawn = participant_bootstrap(pairs, 2000, np.random.default_rng(1))
    assert drawn.se == pytest.approx(cluster_error(pooled_fit(pairs), pairs.person).se, rel=0.05)


def test_people_prompts_and_answers_are_told_apart() -> None:
    rng, found = np.random.default_rng(7), []
    for _ in range(20):
        ability, effect, rows = rng.normal(0, 1, 80), rng.normal(0, 1.5, 60), []
        for i in range(80):
            asked = rng.permutation(60)[:12]
            y = ability[i] + effect[asked] + rng.normal(0, 1, 12)
            rows += [(i, int(j), i, score(value)) for j, value in zip(asked, y, strict=True)]
        one = components_of(cohort(rows, [1.0] * 60, [0.0] * 60).pairs)
        found.append([one.people / ability.var(), one.prompts / effect.var(), one.answers])
    assert np.mean(found, axis=0) == pytest.approx([1.0, 1.0, 1.0], abs=0.08)


def test_a_study_is_nested_where_each_prompt_is_in_one_batch() -> None:
    rng = np.random.default_rng(8)
    assert is_nested(simulated(rng))
    assert not is_nested(simulated(rng, nested=False))


def test_one_batch_has_no_error_by_batch_nor_by_people_and_prompts() -> None:
    rows = [(i, j, 1, 0.25 + 0.2 * i + 0.1 * j) for i in range(3) for j in range(3)]
    pairs = cohort(rows, [1.0] * 3, [0.0, 1.0, 2.0]).pairs
    fit = pooled_fit(pairs)
    assert cluster_error(fit, pairs.batch).reason == Reason.ONE_CLUSTER
    assert twoway_error(fit, pairs).reason == Reason.ONE_CLUSTER
    assert twoway_jackknife(pairs, SQUEEZE).reason == Reason.ONE_CLUSTER
    assert cluster_error(fit, pairs.person).reason is None


def test_one_person_has_a_value_and_no_error() -> None:
    pairs = cohort([(0, 0, 1, 0.3), (0, 1, 1, 0.6)], [1.0, 1.0], [0.0, 0.0]).pairs
    fit = pooled_fit(pairs)
    assert not math.isnan(fit.theta)
    assert cluster_error(fit, pairs.person).reason == Reason.ONE_CLUSTER
    assert participant_bootstrap(pairs, 200, np.random.default_rng(1)).reason == Reason.ONE_CLUSTER
    assert components_of(pairs).reason == Reason.TOO_FEW_PAIRS
    without = prompt_thetas_without(pairs, pairs.person, 1, SQUEEZE)
    assert jackknife_error(without, 2).reason == Reason.ONE_CLUSTER


def test_nothing_scored_has_no_value() -> None:
    pairs = cohort([(0, 0, 1, math.nan), (1, 0, 2, math.nan)], [1.0], [0.0]).pairs
    assert pooled_fit(pairs).reason == quasi_fit(pairs).reason == Reason.NOTHING_SCORED
    assert math.isnan(theta_prompt(pairs, SQUEEZE))
    assert components_of(pairs).reason == Reason.NOTHING_SCORED
    assert participant_bootstrap(pairs, 200, np.random.default_rng(1)).reason == Reason.NOTHING_SCORED
    assert twoway_jackknife(pairs, SQUEEZE).reason == Reason.NOTHING_SCORED


@pytest.mark.parametrize("p", [0.0, 1.0, 0.4])
def test_people_who_all_do_the_same_have_no_spread_rather_than_an_error_of_zero(p: float) -> None:
    pairs = cohort([(i, j, i, p) for i in range(4) for j in range(3)], [1.0] * 3, [0.5] * 3).pairs
    assert cluster_error(pooled_fit(pairs), pairs.person).reason == Reason.NO_SPREAD
    assert jackknife_error(prompt_thetas_without(pairs, pairs.person, 4, SQUEEZE), 12).reason == (
        Reason.NO_SPREAD
    )
    assert mixed_error(pairs, components_of(pairs)).reason == Reason.NO_SPREAD
    expected = None if p == 0.4 else Reason.NO_FINITE_SOLUTION
    assert quasi_fit(pairs).reason == expected


def test_the_rounding_of_a_root_is_no_error() -> None:
    rows: list[Row] = [(i, j, i % 2, 0.3) for i in range(8) for j in range(3)]
    pairs = cohort(rows, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]).pairs

    assert cluster_error(quasi_fit(pairs), pairs.person).reason == Reason.NO_SPREAD
    assert quasi_estimate(pairs.a, pairs.b, pairs.p, pairs.person).estimate.reason == Reason.NO_SPREAD
    assert jackknife_error(np.array([1e-16, -2e-16, 0.0]), 24).reason == Reason.NO_SPREAD


def test_a_root_where_every_item_is_certain_has_no_error() -> None:
    rows: list[Row] = [(0, 0, 1, 1.0), (0, 1, 1, 0.0), (1, 0, 1, 1.0), (1, 1, 1, 0.0)]
    pairs = cohort(rows, [3.0, 3.0], [-130.0, 130.0]).pairs  # information at 0 is 1e-169, its square is 0

    assert cluster_error(quasi_fit(pairs), pairs.person).reason == Reason.NO_VARIATION
    assert quasi_estimate(pairs.a, pairs.b, pairs.p, pairs.person).estimate.reason in (
        Reason.NO_VARIATION, Reason.NO_SPREAD,
    )  # fmt: skip


def test_a_group_that_answered_everything_leaves_no_estimate_without_it() -> None:
    pairs = cohort([(0, 0, 1, 0.3), (0, 1, 1, 0.8)], [1.0, 1.0], [0.0, 0.0]).pairs
    assert np.isnan(prompt_thetas_without(pairs, pairs.person, 1, SQUEEZE)).all()
    assert jackknife_error(np.array([0.1, math.nan]), 3).reason == Reason.UNSTABLE


def errors(of: Cohort) -> list[float]:
    pairs: Pairs = of.pairs
    fit, quasi = pooled_fit(pairs), quasi_fit(pairs)
    return [
        fit.theta, quasi.theta, cluster_error(fit, pairs.person).se, cluster_error(quasi, pairs.batch).se,
        twoway_error(fit, pairs).se, twoway_jackknife(pairs, SQUEEZE).se,
        mixed_error(pairs, components_of(pairs)).se,
    ]  # fmt: skip


def test_order_empty_people_and_unknown_prompts_change_nothing() -> None:
    rng = np.random.default_rng(9)
    whole = simulated(rng, nested=False)
    rows = [
        (int(i), int(j), int(g), float(p))
        for i, j, g, p in zip(whole.person, whole.prompt, whole.batch, whole.p, strict=True)
    ]
    a, b = whole.a.tolist(), whole.b.tolist()
    shuffled = [rows[k] for k in rng.permutation(len(rows))]
    more = [*shuffled, (24, 0, 99, math.nan), (0, 40, 0, 0.7)]
    changed = cohort(more, [*a, math.nan], [*b, math.nan], people=26)
    assert errors(changed) == pytest.approx(errors(whole), rel=1e-12)
