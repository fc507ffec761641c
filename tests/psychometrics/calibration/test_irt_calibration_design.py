"""From a response matrix to a bank: what is refused, what falls back, what is said about the fit."""

import json

import numpy as np
import pytest

from psychometrics.calibration import FitOptions, fit_matrix
from psychometrics.calibration.reporting import report_of
from psychometrics.irt.transform import Array
from tests.support.calibrations import fitted, matrix_of, refusal_of, scores, seconds

NAN = np.nan


def test_twenty_configurations_give_discriminations_and_nineteen_do_not() -> None:
    enough, few = fitted(scores(20, 30)), fitted(scores(19, 30))

    assert (enough.model, few.model) == ("logit-normal 2PL", "logit-normal 1PL")
    assert enough.fit.a.std() > 0.1
    assert few.fit.a.tolist() == [1] * 30
    assert few.notes[0] == (
        "difficulty only (a = 1): 19 configurations are fewer than the 20 that discriminations need"
    )
    assert not any("difficulty only" in note for note in enough.notes)


def test_difficulty_only_by_choice_needs_no_note() -> None:
    found = fitted(scores(20, 30), FitOptions(difficulty_only=True))

    assert found.fit.a.tolist() == [1] * 30
    assert not any("difficulty only" in note for note in found.notes)


def test_items_with_fewer_than_eight_responses_are_refused_by_name() -> None:
    p = scores(20, 30, missing=0)
    p[7:, 3] = NAN
    p[:, 5] = NAN
    p[8:, 6] = NAN  # eight are enough

    assert refusal_of(p) == (
        "items with fewer than 8 responses, 2 of 30: p3 (7), p5 (0); collect more responses or leave these "
        "columns out"
    )


def test_many_thin_items_are_named_in_part() -> None:
    assert "and 10 more; collect" in refusal_of(scores(7, 30))


def test_parts_without_a_link_are_refused() -> None:
    p = scores(20, 30, missing=0)
    p[:10, 15:] = NAN
    p[10:, :15] = NAN

    assert refusal_of(p) == (
        "the matrix falls into 2 parts that share neither configurations nor items (one with m0, m10), so "
        "they have no common scale; calibrate each part alone, or let some configurations answer items of "
        "several parts"
    )


@pytest.mark.parametrize(
    ("p", "sentence"),
    [
        (np.zeros((20, 30)), "all scores are the same"),
        (np.ones((20, 30)), "all scores are the same"),
        (np.tile(np.linspace(0.1, 0.9, 30), (20, 1)), "the model reproduces every score exactly"),
        (scores(20, 1), "there is only one item"),
        (np.full((20, 30), NAN), "items with fewer than 8 responses, 30 of 30"),
        (scores(1, 30), "items with fewer than 8 responses"),
    ],
    ids=["all 0", "all 1", "identical people", "one item", "all missing", "one person"],
)
def test_degenerate_matrices_are_refused(p: Array, sentence: str) -> None:
    assert sentence in refusal_of(p)


def test_a_configuration_without_scores_changes_nothing_but_a_note() -> None:
    p = scores(21, 30)
    p[4] = NAN

    found, plain = fitted(p), fitted(np.delete(p, 4, axis=0))

    assert found.notes == ("left out, because they have no score: m4", *plain.notes)
    assert found.fit.theta.tolist() == plain.fit.theta.tolist()
    assert found.fit.a.tolist() == plain.fit.a.tolist()
    assert "m4" not in found.matrix.configurations


def test_a_configuration_that_alone_links_two_parts_is_named() -> None:
    p = scores(41, 30, missing=0)
    p[:20, 15:] = NAN
    p[21:, :15] = NAN

    found = fitted(p)

    (note,) = found.notes
    assert note.startswith("parts of the matrix hang together by one configuration: m20; without it")
    differences = report_of(found)["leave_one_out"]["differences"]
    assert differences["m20"] == {"published": None, "aligned": None}


def test_the_report_holds_the_figures_of_the_fit() -> None:
    found = fitted(scores(25, 40))

    report = json.loads(json.dumps(report_of(found), allow_nan=False))

    assert (report["configurations"], report["items"], report["responses"]) == (
        25,
        40,
        found.matrix.responses,
    )
    assert (report["model"], report["solver"], report["seconds"]) == ("logit-normal 2PL", "als", 1)
    assert report["loss"] == found.fit.loss
    assert report["gradient"] < 1e-12
    assert report["newton"]["minimum"]
    assert 0.3 < report["r_squared"] < 1
    assert 1 < report["sigma_hat"] < 3
    assert 0 < report["leave_one_out"]["aligned"]["median"] < report["leave_one_out"]["aligned"]["max"] < 0.5
    for name, ability in report["abilities"].items():  # the others' mean is 0 without it: a shift by theta/24
        left_out = report["leave_one_out"]["differences"][name]
        assert left_out["aligned"] == pytest.approx(left_out["published"] - ability / 24, abs=1e-9)
    sizes = [abs(left_out["published"]) for left_out in report["leave_one_out"]["differences"].values()]
    assert report["leave_one_out"]["published"]["mean"] == pytest.approx(np.mean(sizes))
    assert len(sizes) == len(report["abilities"]) == 25
    assert report["notes"] == []


def test_items_that_nearly_everybody_fails_are_listed() -> None:
    p = scores(25, 40)
    p[:, 7] = 0

    found = fitted(p)

    assert [item["item"] for item in report_of(found)["extreme_items"]] == ["p7"]
    assert found.fit.a[7] * found.fit.b[7] > 6.5


def test_adam_is_a_cross_check_without_a_newton_check() -> None:
    p = scores(20, 10)
    steps = []
    clock = seconds()

    found = fit_matrix(
        matrix_of(p),
        options=FitOptions(solver="adam"),
        clock=lambda: next(clock),
        progress=lambda what, done, of: steps.append((what, done, of)),
    )

    assert (found.solver, found.check) == ("adam", None)
    assert ("Adam steps", 10_000, 10_007) in steps
    assert steps[-1] == ("without one configuration", 20, 20)
    assert found.fit.loss == pytest.approx(fitted(p).fit.loss, abs=1e-4)
