"""How far the criteria of one answer are met together, as the models' epochs tell it."""

import numpy as np
import pytest

from psychometrics.data.places import AskedPrompt
from psychometrics.fit.criteria import HIGH, LOW, correlation_of_criteria, correlation_of_epochs
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import ResponseProcess, RubricResponses
from psychometrics.irt.transform import Transform

ITEMS, MODELS = 400, 20


def responses(process: ResponseProcess, rng: np.random.Generator) -> RubricResponses:
    names = tuple(f"q{number}" for number in range(ITEMS))
    a, b = np.exp(rng.normal(0, 0.5, ITEMS)), rng.normal(0, 2, ITEMS)
    bank = ItemBank(names, a, b, names, Transform(scale=0.998, offset=0.001), 2.5)
    return RubricResponses(bank, rng.integers(1, 10, ITEMS), process)


@pytest.mark.parametrize("sure", [1.0, 0.97, 0.6])
@pytest.mark.parametrize("icc", [0.1, 0.2, 0.4, 0.7])
def test_five_epochs_of_twenty_models_tell_the_correlation(icc: float, sure: float) -> None:
    rng = np.random.default_rng(3)
    judge = ResponseProcess(icc=icc, certain_share=sure, uncertain_confidence=0.8)
    answered = responses(judge, rng)
    p = answered.epoch_scores(rng.normal(size=MODELS), 5, rng)

    found = correlation_of_epochs(p, answered.criteria, judge)

    assert found.value == pytest.approx(icc, abs=0.02)
    assert found.taken == (found.value,)
    assert found.cells == MODELS * int((answered.criteria > 1).sum())
    assert abs(found.value - icc) < 4 * found.se < 0.05


def test_the_formula_worked_out_on_paper() -> None:
    # Of one cell m = .5, v = .125 and q = .25 + .125 / 5 = .275; the other, of two epochs, has m = .75,
    # v = .125 and q = .1875 + .0625 = .25. rho = (4 * .125 - .275 + 2 * .125 - .25) / (3 * .275 + .25).
    nan = np.nan
    p = np.array([[[0.25, 0.5, 0.75, 0.0, 1.0], [0.5, 1.0, nan, nan, nan], [1.0, 0.0, 1.0, 0.0, 1.0]]])
    p[0, 0] = [0.5 - 0.125**0.5, 0.5 + 0.125**0.5, 0.5, 0.5 - 0.125**0.5, 0.5 + 0.125**0.5]

    found = correlation_of_epochs(p, np.array([4, 2, 1]))

    assert found.cells == 2
    assert found.value == round((4 * 0.125 - 0.275 + 2 * 0.125 - 0.25) / (3 * 0.275 + 0.25), 2)


def test_scores_that_are_whole_shares_of_criteria_hold_nobodys_confidence() -> None:
    rng = np.random.default_rng(5)
    answered = responses(ResponseProcess(certain_share=1.0), rng)
    p = answered.epoch_scores(rng.normal(size=MODELS), 5, rng)

    of_people = ResponseProcess(certain_share=0.6, uncertain_confidence=0.8)
    assert correlation_of_epochs(p, answered.criteria, of_people) == correlation_of_epochs(
        p, answered.criteria
    )


def test_few_epochs_tell_a_range_and_none_that_of_what_is_possible() -> None:
    rng = np.random.default_rng(4)
    answered = responses(ResponseProcess(), rng)
    few = correlation_of_epochs(
        answered.epoch_scores(rng.normal(size=2), 2, rng)[:, :60], answered.criteria[:60]
    )

    assert few.low < few.value < few.high
    assert few.high - few.low == pytest.approx(4 * few.se, abs=0.02)
    assert few.taken == (few.value, few.low, few.high)
    prompts = [AskedPrompt("q1", criteria=3), AskedPrompt("q2", criteria=0)]
    untold = correlation_of_criteria(prompts, None, None)
    assert (untold.low, untold.high, untold.cells) == (LOW, HIGH, 0)
    once = correlation_of_epochs(rng.random((5, 2, 1)), np.array([3, 4]))  # one epoch repeats nothing
    assert (once.low, once.high) == (LOW, HIGH)


def test_answers_that_are_right_or_wrong_leave_nothing_to_tell() -> None:
    found = correlation_of_criteria([AskedPrompt("q1", criteria=1), AskedPrompt("q2")], None, None)

    assert len(found.taken) == 1
