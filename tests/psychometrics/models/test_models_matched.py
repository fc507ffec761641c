"""A cohort beside a model: the same prompts, the same number of responses."""

import math
from itertools import combinations

import numpy as np
import pytest

from psychometrics.data.cohort import Pairs, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.estimates import Reason
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import theta_ql
from psychometrics.irt.responses import dgp_r_table
from psychometrics.irt.transform import Array, Transform
from psychometrics.models.matched import (
    Found,
    Theta,
    cohort_theta,
    difference,
    logits_of_model,
    model_theta,
)
from psychometrics.models.scores import ModelScores

T = Transform(scale=0.998, offset=0.001)
Row = tuple[int, int, int, float]  # person, prompt, batch, score


def bank_of(a: Array, b: Array) -> ItemBank:
    ids = tuple(f"p{j:04}" for j in range(len(a)))
    return ItemBank(ids, a, b, ("",) * len(a), T, 2.53)


TINY = bank_of(np.array([1.0, 2.0, 0.5]), np.array([0.0, 1.0, -1.0]))
ROWS = [(0, 0, 1, 1.0), (0, 1, 1, 0.5), (1, 0, 1, 0.0), (1, 1, 1, 0.5), (2, 2, 2, 0.25), (3, 2, 2, 1.0)]
MODEL = np.array([[0.5, 1.0], [0.0, 0.5], [0.75, np.nan]])


def pairs_of(rows: list[Row], bank: ItemBank = TINY, *, empty: int = 0) -> Pairs:
    """`empty` people without a row come after those of the rows."""
    return cohort_of(
        people=[Person(f"c{i}") for i in range(1 + empty + max((row[0] for row in rows), default=0))],
        prompts=[AskedPrompt(prompt_id) for prompt_id in bank.prompt_ids],
        bank=bank,
        rows=[(i, j, batch, 1, p, p, Outcome.SCORED) for i, j, batch, p in rows],
    ).pairs


def compare(
    theta: Theta,
    rows: list[Row],
    scores: Array,
    bank: ItemBank = TINY,
    *,
    empty: int = 0,
    nested: bool = True,
) -> tuple[Found, Found]:
    """The model's estimate, and cohort minus model."""
    pairs = pairs_of(rows, bank, empty=empty)
    m, k = logits_of_model(theta, ModelScores(scores, T), pairs.prompt, np.random.default_rng(1))
    return model_theta(theta, pairs, m, k), difference(theta, pairs, m, k, T, nested=nested)


def logit(*p: float) -> float:
    return float(np.mean(T.to_logit(np.array(p))))


def test_pooled_models_take_the_logit_of_each_epoch_on_the_prompts_of_each_pair() -> None:
    model, apart = compare(Theta.POOL, ROWS, MODEL)
    # Two people on each prompt: a^2 sums to 2 (1 + 4 + 0.25).
    m = [logit(0.5, 1.0), logit(0.0, 0.5), logit(0.75)]
    expected = 2 * (1 * m[0] + 2 * (m[1] + 2 * 1) + 0.5 * (m[2] + 0.5 * -1)) / 10.5
    assert model.estimate.value == pytest.approx(expected, abs=1e-12)
    people = (logit(1) + logit(0)) + 2 * 2 * (logit(0.5) + 2) + 0.5 * (logit(0.25) + logit(1) - 1)
    assert apart.estimate.value == pytest.approx(people / 10.5 - expected, abs=1e-12)
    assert (apart.pairs, apart.people, apart.prompts, apart.k) == (6, 4, 3, 1.0)


def test_the_error_of_a_difference_is_clustered_by_batch() -> None:
    rows = [(i, j, batch, (0.75, 1.0, 0.25)[j]) for i, j, batch, _ in ROWS]  # people of a batch are alike
    _, apart = compare(Theta.POOL, rows, MODEL)
    pairs = pairs_of(rows)
    m = ModelScores(MODEL, T).single_logits[pairs.prompt]
    e = pairs.a * (pairs.y - m - pairs.a * apart.estimate.value)
    sums = np.array([e[pairs.batch == 1].sum(), e[pairs.batch == 2].sum()])
    left = 1 - np.array([(pairs.a**2)[pairs.batch == batch].sum() for batch in (1, 2)]) / 10.5
    assert apart.estimate.se == pytest.approx(math.sqrt((sums**2 / left).sum()) / 10.5, abs=1e-12)
    assert apart.estimate.high - apart.estimate.value == pytest.approx(12.7062047 * apart.estimate.se)


def test_a_difference_is_no_surer_than_other_people_alone_leave_it() -> None:
    _, apart = compare(Theta.POOL, ROWS, MODEL)
    assert apart.error.facts == {"error": "se.batch", "at_least": "se.participant"}


def test_the_mean_of_single_epochs_is_the_mean_of_their_thetas() -> None:
    complete = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 0.25], [0.75, 1.0, 0.5]])
    whole, _ = compare(Theta.POOL, ROWS, complete)
    single = [compare(Theta.POOL, ROWS, complete[:, [e]])[0].estimate.value for e in range(3)]
    assert whole.estimate.value == pytest.approx(np.mean(single), abs=1e-12)


def test_prompt_means_take_as_many_epochs_as_people_answered() -> None:
    rows = [*ROWS[:4], (2, 2, 2, 0.25)]  # two responses to the first two prompts, one to the third
    scores = np.array([[0.0, 0.5, 1.0], [1.0, 1.0, 0.5], [0.0, 0.5, 1.0]])
    model, apart = compare(Theta.PROMPT, rows, scores)
    means = [[np.mean(chosen) for chosen in combinations(scores[j], 2)] for j in (0, 1)]
    m = [logit(*means[0]), logit(*means[1]), logit(0.0, 0.5, 1.0)]
    expected = (m[0] + 2 * (m[1] + 2) + 0.5 * (m[2] - 0.5)) / 5.25
    assert model.estimate.value == pytest.approx(expected, abs=1e-12)
    people = logit(0.5) + 2 * (logit(0.5) + 2) + 0.5 * (logit(0.25) - 0.5)
    assert apart.estimate.value == pytest.approx(people / 5.25 - expected, abs=1e-12)
    assert apart.k == pytest.approx(5 / 3)


def test_sets_of_epochs_are_drawn_where_there_are_too_many() -> None:
    rng = np.random.default_rng(3)
    p = rng.random((40, 12))
    p[rng.random(p.shape) < 0.2] = np.nan
    many = ModelScores(p, T).matched_logits(np.full(40, 3), rng)
    row = p[0][~np.isnan(p[0])]
    exact = logit(*[float(np.mean(chosen)) for chosen in combinations(row, 3)])
    assert many[0] == pytest.approx(exact, abs=0.15)
    assert not np.isnan(many).any()


def test_quasi_likelihood_compares_the_roots_on_the_same_prompts() -> None:
    model, apart = compare(Theta.QL, ROWS, MODEL)
    pairs = pairs_of(ROWS)
    mean = np.array([0.75, 0.25, 0.75])[pairs.prompt]
    assert model.estimate.value == pytest.approx(theta_ql(pairs.a, pairs.b, mean), abs=1e-10)
    own = theta_ql(pairs.a, pairs.b, pairs.p)
    assert apart.estimate.value == pytest.approx(own - model.estimate.value, abs=1e-10)
    assert math.isnan(apart.k)


@pytest.mark.parametrize("theta", Theta)
def test_a_model_that_answers_as_one_person_does_is_no_different(theta: Theta) -> None:
    rows = [
        (i, j, 1 + i // 2, p) for i in range(6) for j, p in ((3 * (i // 2), 0.25), (3 * (i // 2) + 1, 0.5))
    ]
    bank = bank_of(np.linspace(0.5, 2, 9), np.linspace(-1, 1, 9))
    scores = np.full((9, 1), np.nan)
    for _, j, _, p in rows:
        scores[j] = p
    _, apart = compare(theta, rows, scores, bank)
    assert apart.estimate.value == pytest.approx(0, abs=1e-10)
    assert apart.estimate.reason is Reason.NO_SPREAD  # identical people: no width can be told


@pytest.mark.parametrize("theta", Theta)
@pytest.mark.parametrize("batch", [3, 60])
def test_people_who_all_answer_as_the_model_does_differ_by_zero_without_a_spread(
    theta: Theta, batch: int
) -> None:
    """Rounding errors are no interval."""
    rng = np.random.default_rng(7)
    bank = bank_of(np.exp(rng.normal(0, 0.5, 12)), rng.normal(0, 2, 12))
    scores = rng.choice([0, 0.25, 0.4, 0.7, 1], (12, 1))
    rows = [(i, j, j // batch, float(scores[j, 0])) for i in range(6) for j in range(12)]
    _, apart = compare(theta, rows, scores, bank)
    assert apart.estimate.value == pytest.approx(0, abs=1e-12)
    assert apart.estimate.reason is Reason.NO_SPREAD
    assert math.isnan(apart.estimate.se)


@pytest.mark.parametrize("theta", Theta)
def test_prompts_without_a_score_of_the_model_are_left_out_of_both(theta: Theta) -> None:
    without = MODEL.copy()
    without[2] = np.nan
    rows = [row for row in ROWS if row[1] != 2]
    for kept, wanted in zip(compare(theta, ROWS, without), compare(theta, rows, MODEL), strict=True):
        assert kept.estimate.value == pytest.approx(wanted.estimate.value, abs=1e-12)
        assert (kept.pairs, kept.prompts) == (4, 2)


@pytest.mark.parametrize("theta", Theta)
def test_neither_order_nor_split_of_rows_nor_unknown_prompts_nor_empty_people_change_anything(
    theta: Theta,
) -> None:
    shuffled = [ROWS[i] for i in (5, 2, 0, 4, 1, 3)]
    by_person = [*(row for row in ROWS if row[0] > 1), *(row for row in ROWS if row[0] < 2)]
    by_prompt = [*ROWS[1::2], *ROWS[::2]]
    moved = [(i + 1, j, batch, p) for i, j, batch, p in ROWS]  # the first person is empty
    wider = bank_of(np.append(TINY.a, 3.0), np.append(TINY.b, 0.2))
    first = compare(theta, ROWS, MODEL)
    for other in (
        compare(theta, shuffled, MODEL),
        compare(theta, by_person, MODEL),
        compare(theta, by_prompt, MODEL),
        compare(theta, moved, MODEL),
        compare(theta, ROWS, MODEL, empty=2),
        compare(theta, ROWS, np.vstack([MODEL, [[1.0, 0.0]]]), wider),
        compare(theta, ROWS, MODEL[:, ::-1]),
        compare(theta, ROWS, np.column_stack([MODEL, [np.nan] * 3])),
    ):
        for one, same in zip(first, other, strict=True):
            values = [one.estimate.value, one.estimate.se, same.estimate.value, same.estimate.se]
            assert values[:2] == pytest.approx(values[2:], abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("theta", Theta)
@pytest.mark.parametrize(
    ("rows", "scores", "reason"),
    [
        (ROWS, np.full((3, 2), np.nan), Reason.NOTHING_SCORED),  # the model answered nothing
        (ROWS[:1], MODEL, Reason.ONE_CLUSTER),  # one person, one prompt
    ],
)
def test_what_cannot_be_told_is_nan_with_a_reason(
    theta: Theta, rows: list[Row], scores: Array, reason: Reason
) -> None:
    _, apart = compare(theta, rows, scores)
    assert math.isnan(apart.estimate.se)
    assert apart.estimate.reason in {reason, Reason.NO_FINITE_SOLUTION}  # theta_QL: all scores are 1


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_scores_all_alike_have_no_quasi_likelihood(score: float) -> None:
    rows = [(i, j, batch, score) for i, j, batch, _ in ROWS]
    assert compare(Theta.QL, rows, MODEL)[1].estimate.reason is Reason.NO_FINITE_SOLUTION
    assert compare(Theta.POOL, rows, np.full((3, 2), score))[1].estimate.value == pytest.approx(0, abs=1e-9)


def test_the_design_says_what_is_independent() -> None:
    one_batch = [(i, j, 1, p) for i, j, _, p in ROWS]
    crossed = [(i, j, 1 + i % 2, p) for i, j, _, p in ROWS]
    for rows, nested, error in (
        (ROWS, True, "batch"), (one_batch, True, "participant"), (crossed, False, "twoway"),
    ):  # fmt: skip
        pooled, averaged = (
            compare(theta, rows, MODEL, nested=nested)[1] for theta in (Theta.POOL, Theta.PROMPT)
        )
        assert (pooled.error.name, averaged.error.name) == (f"se.{error}", f"se.jackknife_{error}")
        assert not math.isnan(pooled.estimate.se + averaged.estimate.se)


def nested_study(rng: np.random.Generator, theta: float, tau: float) -> tuple[Pairs, ModelScores, ItemBank]:
    """12 batches of 10 prompts, 5 people each; one model of ability `theta` with five epochs (DGP-R)."""
    bank = bank_of(np.exp(0.5 * rng.standard_normal(120)), 1.5 * rng.standard_normal(120))
    simulated = dgp_r_table(bank, rng)
    person = np.repeat(np.arange(60), 10)
    prompt = (person // 5) * 10 + np.tile(np.arange(10), 60)
    p = simulated.scores(theta + tau * rng.standard_normal(60), prompt, person, rng)
    rows = [(int(i), int(j), 1 + int(i) // 5, float(s)) for i, j, s in zip(person, prompt, p, strict=True)]
    return pairs_of(rows, bank), ModelScores(simulated.epoch_scores(np.array([theta]), 5, rng)[0], T), bank


def test_at_the_same_number_of_responses_equal_abilities_come_out_equal() -> None:
    """Pasting a model's answers: no gap at matched k, a spurious one against its five-epoch theta (A3)."""
    rng = np.random.default_rng(12)
    matched, unmatched, covered = [], [], 0
    for _ in range(100):
        pairs, model, bank = nested_study(rng, theta=2.0, tau=0.0)
        m, k = logits_of_model(Theta.POOL, model, pairs.prompt, rng)
        apart = difference(Theta.POOL, pairs, m, k, T, nested=True).estimate
        matched.append(apart.value)
        covered += apart.low <= 0 <= apart.high
        own = cohort_theta(Theta.POOL, pairs, T, nested=True).estimate.value
        five = float(bank.a @ (model.mean_logits + bank.a * bank.b) / (bank.a @ bank.a))
        unmatched.append(own - five)
    assert np.mean(matched) == pytest.approx(0, abs=0.3 * float(np.std(matched)))
    assert np.mean(unmatched) > 0.2
    assert covered >= 88  # 95, less three standard deviations of a binomial; 0.948 over 2,000 studies
