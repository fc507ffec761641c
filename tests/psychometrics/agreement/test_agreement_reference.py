"""The published figures are those of the paper, and the computed ones follow from them."""

import math
from pathlib import Path

import numpy as np
import pytest

from psychometrics.agreement.reference import PUBLISHED_ABILITIES, REFERENCE_FIGURES, Level, reference_figures

THETA_X = np.array([ability.theta_x for ability in PUBLISHED_ABILITIES])
THETA_Y = np.array([ability.theta_y for ability in PUBLISHED_ABILITIES])


@pytest.fixture
def paper(shared_data: Path) -> str:
    path = shared_data.parent / "reference" / "gim-paper.txt"
    if not path.is_file():
        pytest.skip(f"the text of the GIM paper is not at {path}")
    return path.read_text()


def test_every_statistic_stands_once_in_its_level() -> None:
    keys = [(figure.level, figure.statistic) for figure in REFERENCE_FIGURES]

    assert len(set(keys)) == len(keys)
    assert {level for level, _ in keys} == set(Level)
    assert reference_figures(Level.CRITERION)["kappa"].value == 0.815
    assert reference_figures(Level.CRITERION)["kappa"].n == 18_395


def test_the_limits_follow_from_offset_and_spread() -> None:
    prompt = reference_figures(Level.PROMPT)
    offset, sd = prompt["offset"].value, prompt["sd_of_differences"].value

    assert prompt["lower_limit"].value == pytest.approx(offset - 1.96 * sd, abs=0.0005)
    assert prompt["upper_limit"].value == pytest.approx(offset + 1.96 * sd, abs=0.0005)


def test_concordance_and_alpha_follow_if_both_judges_spread_scores_alike() -> None:
    # sd_d^2 = 2 s^2 (1 - r) gives s^2; alpha is 1 - mean d^2 / (2 s^2 + offset^2 / 2) but for terms of 1 / n.
    prompt = reference_figures(Level.PROMPT)
    r, offset, sd = (prompt[name].value for name in ("pearson", "offset", "sd_of_differences"))
    s2 = sd**2 / (2 * (1 - r))

    assert math.sqrt(s2) == pytest.approx(0.39, abs=0.005)
    assert prompt["ccc"].value == pytest.approx(2 * r * s2 / (2 * s2 + offset**2), abs=0.0005)
    assert prompt["alpha_interval"].value == pytest.approx(
        1 - (sd**2 + offset**2) / (2 * s2 + offset**2 / 2), abs=0.0005
    )


def test_what_is_said_about_the_abilities_follows_from_table_3() -> None:
    ability = reference_figures(Level.ABILITY)
    difference = THETA_Y - THETA_X
    ranks_x, ranks_y = np.argsort(np.argsort(THETA_X)), np.argsort(np.argsort(THETA_Y))
    variances = THETA_X.var() + THETA_Y.var()

    assert ability["pearson"].value == pytest.approx(np.corrcoef(THETA_X, THETA_Y)[0, 1], abs=0.0005)
    assert ability["spearman"].value == pytest.approx(np.corrcoef(ranks_x, ranks_y)[0, 1], abs=1e-12)
    assert ability["sd_of_differences"].value == pytest.approx(difference.std(ddof=1), abs=0.0005)
    assert ability["ratio_of_sds"].value == pytest.approx(THETA_Y.std() / THETA_X.std(), abs=0.005)
    covariance = np.cov(THETA_X, THETA_Y, ddof=0)[0, 1]
    expected = 2 * covariance / (variances + difference.mean() ** 2)
    assert ability["ccc"].value == pytest.approx(expected, abs=0.0005)


SENTENCES = {
    (Level.CRITERION, "pearson"): "18,395 paired criterion scores, the judges achieve Pearson $r = 0.845$",
    (Level.CRITERION, "kappa"): "Cohen’s $\\kappa = 0.815$ (binarized at 0.5)",
    (Level.CRITERION, "near_exact"): "($|\\Delta| < 0.01$) holds for 85.6% of individual criteria",
    (Level.CRITERION, "partial_x"): "(10.6% vs. 4.2% of criteria)",
    (Level.CRITERION, "partial_y"): "(10.6% vs. 4.2% of criteria)",
    (Level.PROMPT, "pearson"): "At the prompt level, the two judges correlate at $r = 0.922$",
    (Level.PROMPT, "same_side"): "93.1% directional agreement",
    (Level.PROMPT, "offset"): "$\\mu_{\\Delta} = -0.045$",
    (Level.PROMPT, "sd_of_differences"): "$\\sigma_{\\Delta} = 0.154$",
    (Level.ABILITY, "pearson"): "the ability correlation ($r = 0.987$",
    (Level.ABILITY, "spearman"): "Spearman $\\rho = 0.900$",
    (Level.ITEM, "pearson_of_difficulty"): "Item difficulty is correlated at $r = 0.910$",
    (Level.ITEM, "pearson_of_discrimination"): "discrimination at $r = 0.892$",
}


def test_every_figure_that_is_not_computed_stands_in_the_paper(paper: str) -> None:
    printed = {
        (figure.level, figure.statistic): figure for figure in REFERENCE_FIGURES if not figure.computed
    }

    assert set(printed) == set(SENTENCES)
    for key, figure in printed.items():
        sentence = SENTENCES[key]
        assert sentence in paper
        in_points, in_percent = f"{figure.value:.3f}", f"{100 * figure.value:.1f}%"
        assert in_points in sentence or in_percent in sentence, sentence
    assert "3,865 paired per-prompt scores" in paper


def test_the_abilities_are_those_of_table_3(paper: str) -> None:
    for row in PUBLISHED_ABILITIES:
        change = row.theta_y - row.theta_x
        assert f"{row.model}\t{row.theta_x:+.3f}\t{row.theta_y:+.3f}\t{change:+.3f}" in paper
