"""Person fit: hand-computed values, the simulated reference, and people who cannot be told anything of."""

import numpy as np
import pytest

from psychometrics.data.cohort import Pairs, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.dif.prompts import item_dif, residuals_of
from psychometrics.fit.abilities import (
    Prior,
    expected_without_itself,
    likelihood_of,
    normal_weights,
    posterior_of,
    prior_of,
    sums_of,
)
from psychometrics.fit.people import Rows, person_fit
from psychometrics.fit.reference import Reference, cohort_responses, reference_of
from psychometrics.inference.between_person import paule_mandel
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import ResponseProcess, RubricResponses
from psychometrics.irt.transform import Array, Transform

TRANSFORM = Transform(scale=0.998, offset=0.001)


def bank_of(a: Array, b: Array) -> ItemBank:
    names = tuple(f"p{j}" for j in range(len(a)))
    return ItemBank(names, a, b, ("",) * len(a), TRANSFORM, 2.5)


@pytest.fixture(scope="module")
def reference() -> Reference:
    """Thirty items from easy to hard, every other one a rubric of five criteria."""
    bank = bank_of(np.full(30, 1.0), np.linspace(-5, 5, 30))
    criteria = np.where(np.arange(30) % 2, 5, 1)
    return reference_of(RubricResponses(bank, criteria, ResponseProcess()))


def pairs_of(rows: list[tuple[int, int, float]], reference: Reference) -> Pairs:
    """Pairs of (person, item, score)."""
    person, items, p = (np.array(column) for column in zip(*rows, strict=True))
    bank = reference.responses.bank
    p = p.astype(np.float64)
    return Pairs(person, items, person, p, bank.a[items], bank.b[items], TRANSFORM.to_logit(p))


def fitting(people: int, reference: Reference, rng: np.random.Generator) -> Pairs:
    items = np.tile(np.arange(0, 30), people)
    person = np.repeat(np.arange(people), 30)
    y = reference.draw(rng.normal(0, 0.8, people)[person], items, rng)
    p = TRANSFORM.to_score(y)
    return pairs_of(list(zip(person.tolist(), items.tolist(), p.tolist(), strict=True)), reference)


def test_abilities_are_right_on_average_where_sums_of_answers_are_skewed() -> None:
    # Twelve hard items: at a normal likelihood the middle fifth would be .07 too low, the ends .06 too high.
    items, people = 12, 20_000
    bank = bank_of(np.full(items, 1.0), np.full(items, 3.0))
    hard = reference_of(RubricResponses(bank, np.where(np.arange(items) % 2, 5, 1), ResponseProcess()))
    rng = np.random.default_rng(4)
    theta = rng.normal(0, 0.8, people)
    person, prompt = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    y = hard.draw(theta[person], prompt, rng)
    pairs = Pairs(person, prompt, person, TRANSFORM.to_score(y), bank.a[prompt], bank.b[prompt], y)

    known = Prior(0, 0.8, normal_weights(0, 0.8, hard.grid))
    found = posterior_of(likelihood_of(sums_of(pairs, hard, people)), known) @ hard.grid

    fifths = np.array_split(np.argsort(found), 5)
    assert [float((theta - found)[fifth].mean()) for fifth in fifths] == pytest.approx([0] * 5, abs=0.035)


def test_the_personal_correlation_is_the_one_of_answers_and_easiness() -> None:
    # y = 2, 1, 0 and 0, 1, 2 on b = -1, 0, 1 with a = 1: correlations 1 and -1; constant answers have none.
    b, y = np.tile([-1.0, 0.0, 1.0], 3), np.array([2.0, 1, 0, 0, 1, 2, 1, 1, 1])
    person, prompt = np.repeat([4, 7, 9], 3), np.tile([0, 1, 2], 3)
    rows = Rows(Pairs(person, prompt, person, TRANSFORM.to_score(y), np.ones(9), b, y))

    found = rows.correlations(y)

    assert rows.person.tolist() == [4, 7, 9]
    assert found[:2] == pytest.approx([1, -1], abs=1e-12)
    assert np.isnan(found[2])


def test_the_distance_of_a_person_is_misfit_and_extremity_in_two_parts(reference: Reference) -> None:
    pairs = fitting(12, reference, np.random.default_rng(2))

    fit = person_fit(pairs, reference, np.random.default_rng(3))

    # Against the definition: (y - mu)' (t2 a a' + s2 I)^-1 (y - mu) with the same m, t2 and s2.
    a, s2 = pairs.a.reshape(12, 30), fit.residual_sd**2
    z = pairs.z.reshape(12, 30)
    theta = (a * z).sum(1) / (a**2).sum(1)
    v = s2 / (a**2).sum(1)
    spread = paule_mandel(theta, v)
    t2, m = spread.variance, spread.mean
    off = z - a * m
    whole = [
        own @ np.linalg.solve(t2 * np.outer(row, row) + s2 * np.eye(30), own)
        for own, row in zip(off, a, strict=True)
    ]
    assert fit.misfit + fit.extremity == pytest.approx(np.array(whole), rel=1e-9)
    assert fit.misfit.sum() == pytest.approx(12 * 29, rel=1e-9)


def test_five_percent_of_people_who_fit_are_flagged(reference: Reference) -> None:
    fit = person_fit(fitting(800, reference, np.random.default_rng(4)), reference, np.random.default_rng(5))

    assert fit.low_correlation.mean() == pytest.approx(0.05, abs=0.025)
    assert fit.high_outfit.mean() == pytest.approx(0.05, abs=0.025)
    assert fit.prior.sd == pytest.approx(0.8, abs=0.12)
    assert abs(fit.prior.mean) < 0.1


def test_who_answers_against_the_difficulty_is_flagged_by_both(reference: Reference) -> None:
    rows = [(0, item, float(item >= 15)) for item in range(30)]
    others = fitting(60, reference, np.random.default_rng(6))
    own = pairs_of(rows, reference)
    columns = (
        np.concatenate([getattr(own, name), getattr(others, name) + (name == "person")])
        for name in own.__dataclass_fields__
    )

    fit = person_fit(Pairs(*columns), reference, np.random.default_rng(7))

    assert fit.correlation[0] < -0.8
    assert fit.low_correlation[0]
    assert fit.high_outfit[0]
    assert (fit.low_correlation | fit.high_outfit).mean() < 0.25


def test_the_order_of_rows_changes_nothing(reference: Reference) -> None:
    pairs = fitting(9, reference, np.random.default_rng(8))
    shuffled = np.random.default_rng(9).permutation(len(pairs))
    mixed = Pairs(*(getattr(pairs, name)[shuffled] for name in pairs.__dataclass_fields__))

    one, other = (person_fit(own, reference, np.random.default_rng(10)) for own in (pairs, mixed))

    for name in ("correlation", "outfit", "p_correlation", "p_outfit", "misfit", "extremity", "theta"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9), name


def test_a_prompt_without_parameters_and_a_person_without_answers_change_nothing() -> None:
    def measured(*, extra: bool) -> tuple[list[float], list[float]]:
        prompts = [*(["a-new-one"] if extra else []), *(f"p{j}" for j in range(6))]
        people = [Person(code) for code in ("A", "B", "C", *(["D"] if extra else []))]
        scores = np.random.default_rng(3).random((3, 6)).round(2)
        rows = [
            (i, prompts.index(f"p{j}"), 1, 1, scores[i, j], scores[i, j], Outcome.SCORED)
            for i in range(3)
            for j in range(6)
        ]
        if extra:
            rows.append((1, 0, 1, 1, 1.0, 1.0, Outcome.SCORED))
        cohort = cohort_of(
            people=people,
            prompts=[AskedPrompt(name, criteria=5 if name == "a-new-one" else 2) for name in prompts],
            bank=bank_of(np.linspace(0.6, 1.4, 6), np.linspace(-2, 2, 6)),
            rows=rows,
        )
        reference = reference_of(cohort_responses(cohort))
        fit = person_fit(cohort.pairs, reference, np.random.default_rng(5))
        items = item_dif(residuals_of(cohort.pairs, reference))
        of_people = (fit.correlation, fit.outfit, fit.p_correlation, fit.p_outfit, fit.misfit)
        return np.concatenate(of_people).tolist(), np.concatenate([items.d, items.v]).tolist()

    for with_extra, without in zip(measured(extra=True), measured(extra=False), strict=True):
        assert with_extra == pytest.approx(without, rel=1e-9)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_equal_scores_throughout_have_no_correlation_and_a_finite_outfit(
    score: float, reference: Reference
) -> None:
    rows = [(person, item, score) for person in range(3) for item in range(10)]

    fit = person_fit(pairs_of(rows, reference), reference, np.random.default_rng(11))

    assert np.isnan(fit.correlation).all()
    assert np.isfinite(fit.outfit).all()
    assert np.isfinite(fit.p_correlation).all()


def test_one_person_with_one_answer_is_not_measurable(reference: Reference) -> None:
    fit = person_fit(pairs_of([(0, 3, 1.0)], reference), reference, np.random.default_rng(12))

    assert fit.n.tolist() == [1]
    for column in (fit.correlation, fit.outfit, fit.p_correlation, fit.p_outfit, fit.misfit, fit.extremity):
        assert np.isnan(column).all()
    assert not fit.measurable.any()
    assert np.isnan(fit.residual_sd)


def test_the_reference_is_the_mean_and_variance_of_single_responses(reference: Reference) -> None:
    rng = np.random.default_rng(13)
    for item in (2, 3, 14, 15, 27, 28):
        for theta in (-3.0, 0.0, 0.3, 2.0):
            y = reference.draw(np.full(200_000, theta), np.full(200_000, item), rng)
            mean, variance = reference.at(np.array([theta]), np.array([item]))

            assert y.mean() == pytest.approx(mean[0], abs=5 * (y.var() / len(y)) ** 0.5)
            of_squares = ((y - y.mean()) ** 2).std() / len(y) ** 0.5
            assert y.var() == pytest.approx(variance[0], abs=5 * of_squares)


def test_leaving_a_row_out_is_as_if_it_had_never_been_there(reference: Reference) -> None:
    pairs = fitting(4, reference, np.random.default_rng(14))
    sums = sums_of(pairs, reference, 4)
    prior = prior_of(likelihood_of(sums), reference.grid)

    found = expected_without_itself(pairs, sums, prior, reference)

    kept = np.arange(len(pairs)) != 37
    without = sums_of(pairs.of(kept), reference, 4)
    weights = posterior_of(likelihood_of(without), prior)
    own = weights[pairs.person[37]] @ reference.expected[pairs.prompt[37]]
    assert found.mean[37] == pytest.approx(own, abs=1e-9)
