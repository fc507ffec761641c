import json
import math

import numpy as np
import pytest

from batches.rules.assembly import balance_features, expected_raw
from batches.rules.coverage import PromptTraits, coverage_lines
from batches.rules.covering import coverage_report

BANK = [
    PromptTraits("p1", 1.0, 0.1, "LR", "text"),
    PromptTraits("p2", 2.0, 1.0, "QR", "image"),
    PromptTraits("p3", 1.0, -0.9, "LR", "text"),
    PromptTraits("p4", None, None, "QR", "text"),
]


def logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def test_a_batch_is_described_by_hand_computed_numbers() -> None:
    first = coverage_report([["p1", "p2"], ["p3", "p4"]], BANK).batches[0]
    assert (first.number, first.size, first.with_parameters) == (1, 2, 2)
    assert first.mean_difficulty == pytest.approx(0.55)
    assert first.expected_raw[0] == pytest.approx((0.5 + logistic(-1.8)) / 2)
    assert first.expected_raw[1] == pytest.approx((logistic(0.9) + 0.5) / 2)
    assert first.information == pytest.approx(5.0)
    assert first.categories == {"LR": 1, "QR": 1}
    assert first.modalities == {"image": 1, "text": 1}


def test_prompts_without_parameters_stay_out_of_the_means_and_are_listed() -> None:
    report = coverage_report([["p1", "p2"], ["p3", "p4"]], BANK)
    second = report.batches[1]
    assert (second.size, second.with_parameters) == (2, 1)
    assert second.mean_difficulty == pytest.approx(-0.9)
    assert second.information == pytest.approx(1.0)
    assert report.prompts_without_parameters == ("p4",)


def test_the_spread_is_taken_over_batches() -> None:
    spread = coverage_report([["p1", "p2"], ["p3", "p4"]], BANK).spread
    assert spread.mean_difficulty_sd == pytest.approx((0.55 + 0.9) / 2)
    assert spread.information_cv == pytest.approx(1.0 / 1.5)
    assert spread.category_sd == 0.0
    assert spread.modality_sd == pytest.approx(0.5)


def test_a_smaller_batch_is_compared_with_its_own_share() -> None:
    bank = [PromptTraits(f"p{n}", 1.0, 0.0, "A" if n % 2 else "B", "text") for n in range(6)]
    spread = coverage_report([["p0", "p1", "p2", "p3"], ["p4", "p5"]], bank).spread
    assert (spread.category_sd, spread.modality_sd, spread.information_cv) == (0.0, 0.0, 0.0)


def test_a_batch_without_any_parameters_has_unknown_means_not_zero() -> None:
    report = coverage_report([["p4"]], [BANK[3]])
    assert report.batches[0].mean_difficulty is None
    assert report.batches[0].expected_raw == (None, None)
    assert report.spread.information_cv is None
    assert report.spread.expected_raw_sd == (None, None)


def test_a_report_without_batches_is_empty_not_an_error() -> None:
    report = coverage_report([], [])
    assert report.sizes == ()
    assert coverage_lines(report)[0] == "0 batches (none), 0 prompts."


def test_the_report_is_plain_json_without_nan() -> None:
    report = coverage_report([["p1", "p2"], ["p3"], ["p4"]], BANK)
    text = json.dumps(report.as_dict(), allow_nan=False)
    assert json.loads(text)["sizes"] == [2, 1, 1]
    assert json.loads(text)["batches"][2]["mean_difficulty"] is None
    assert json.loads(text)["abilities"] == [0.1, 1.0]


def test_the_lines_name_sizes_spread_batches_and_missing_parameters() -> None:
    lines = coverage_lines(coverage_report([["p1", "p2"], ["p3"], ["p4"]], BANK))
    assert lines[0] == "3 batches (1 of 2 and 2 of 1), 4 prompts."
    assert lines[1].startswith("Linkage: 3 components; a prompt is asked of at least 1 person")
    assert "Expected raw score at ability 0.1: sd over batches" in lines[2]
    assert lines[-2].split()[:4] == ["3", "1", "unknown", "unknown"]
    assert lines[-2].endswith("LR 0 QR 1; image 0 text 1")
    assert lines[-1] == "Prompts without item parameters: 1 (p4)."


def test_a_long_list_of_prompts_without_parameters_is_cut_with_a_count() -> None:
    bank = [PromptTraits(f"p{n:02}", None, None, "A", "text") for n in range(12)]
    lines = coverage_lines(coverage_report([[p.prompt_id for p in bank]], bank))
    assert lines[-1].endswith("p09 and 2 more).")


def test_expected_raw_is_the_logistic_curve_and_survives_far_items() -> None:
    a, b = np.array([1.0, 4.0, 4.0]), np.array([0.1, 1e4, -1e4])
    assert expected_raw(a, b, theta=0.1).tolist() == [0.5, 0.0, 1.0]
    assert expected_raw(np.array([2.0]), np.array([0.0]), theta=1.0)[0] == pytest.approx(logistic(2.0))


def test_features_are_standardised_and_unknown_parameters_sit_at_the_mean() -> None:
    features = balance_features(BANK)
    assert features.shape == (4, 4 + 2 + 2)
    assert features.mean(axis=0) == pytest.approx(np.zeros(8), abs=1e-12)
    assert features[3, :4].tolist() == [0.0, 0.0, 0.0, 0.0]
    assert (features[:3, :4] ** 2).mean(axis=0) == pytest.approx(np.ones(4))
    assert (features[:, 4:] ** 2).mean(axis=0) == pytest.approx(np.ones(4))


def test_a_trait_all_prompts_share_weighs_nothing() -> None:
    bank = [PromptTraits("p1", 1.0, 0.0, "A", "text"), PromptTraits("p2", 1.0, 0.0, "A", "text")]
    assert not balance_features(bank).any()
