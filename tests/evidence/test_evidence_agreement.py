"""Our coefficients of agreement are those of other people's programs on the same scores."""

from typing import Any

import numpy as np
import pytest

from psychometrics.agreement import coefficients
from psychometrics.agreement.audit import weighted_agreement
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.krippendorff import alpha_interval, alpha_nominal
from psychometrics.agreement.statistics import ranked_pairs
from tests.evidence.frozen_results import frozen, given, one, score_pairs, sums_given

EXACT: dict[str, Any] = {"rel": 1e-10, "abs": 1e-12}


@pytest.mark.parametrize("program", ["sklearn", "r_psych", "r_epiR"])
def test_cohens_kappa_of_met_or_not(program: str) -> None:
    assert one(coefficients.kappa(sums_given(program))) == pytest.approx(frozen(program)["kappa"], **EXACT)


def test_gwets_ac1_and_the_agreement_beyond_a_half() -> None:
    sums, said = sums_given("irrCAC"), frozen("irrCAC")
    assert one(coefficients.ac1(sums)) == pytest.approx(said["gwet"], abs=1e-11)
    assert one(coefficients.pabak(sums)) == pytest.approx(said["brennan_prediger"], abs=1e-11)
    assert one(coefficients.pabak(sums_given("r_epiR"))) == pytest.approx(frozen("r_epiR")["pabak"], **EXACT)


def test_krippendorffs_alpha_of_three_judges_with_missing_scores() -> None:
    said = frozen("krippendorff")
    three = np.array(given("krippendorff", "agreement")["three"], dtype=np.float64)
    met = np.where(np.isnan(three), np.nan, three >= 0.5)
    assert alpha_interval(three) == pytest.approx(said["three_interval"], **EXACT)
    assert alpha_nominal(three) == pytest.approx(said["three_nominal"], **EXACT)
    assert alpha_nominal(met) == pytest.approx(said["three_met_nominal"], **EXACT)


def test_krippendorffs_alpha_of_two_judges() -> None:
    sums, said = sums_given("krippendorff"), frozen("krippendorff")
    assert one(coefficients.alpha_interval(sums)) == pytest.approx(said["two_interval"], **EXACT)
    assert one(coefficients.alpha_nominal(sums)) == pytest.approx(said["two_met_nominal"], **EXACT)
    assert one(coefficients.alpha_nominal(sums)) == pytest.approx(frozen("irrCAC")["krippendorff"], abs=1e-11)


@pytest.mark.parametrize(("program", "name"), [("pingouin", "ICC(A,1)"), ("r_psych", "ICC2")])
def test_icc_of_single_judges_by_absolute_agreement(program: str, name: str) -> None:
    assert one(coefficients.icc(sums_given(program))) == pytest.approx(frozen(program)["icc"][name], **EXACT)


@pytest.mark.parametrize("program", ["pingouin", "r_base"])
def test_correlations_of_scores_and_of_ranks(program: str) -> None:
    pairs, said = score_pairs(program), frozen(program)
    assert one(coefficients.pearson(sums_given(program))) == pytest.approx(said["pearson"], **EXACT)
    rho = ranked_pairs(pairs).correlation(np.ones(pairs.clusters))
    assert rho == pytest.approx(said["spearman"], **EXACT)


def test_lins_concordance() -> None:
    said = frozen("r_epiR")
    assert one(coefficients.ccc(sums_given("r_epiR"))) == pytest.approx(said["ccc"], **EXACT)


def test_limits_of_agreement_with_the_differences_the_other_way_round() -> None:
    """R takes x - y and the exact quantile of the normal distribution; ours are y - x and 1.96."""
    sums, said = sums_given("r_epiR"), frozen("r_epiR")
    sd = one(coefficients.sd_of_differences(sums))
    assert one(sums.mean_d) == pytest.approx(-said["x_minus_y"], **EXACT)
    assert sd == pytest.approx(said["sd"], **EXACT)
    ours = [one(coefficients.lower_limit(sums)), one(coefficients.upper_limit(sums))]
    assert ours == pytest.approx([-end for end in reversed(said["limits"])], abs=4e-5 * sd)


def test_agreement_weighted_back_to_all_verdicts_of_an_audit() -> None:
    own = given("sklearn", "stratified")
    frame = [Stratum(*one) for one in own["frame"]]
    found = weighted_agreement(own["human"], own["judge"], own["stratum"], frame, seed=1, resamples=50)
    assert found.kappa.value == pytest.approx(frozen("sklearn")["weighted"], **EXACT)
    said = frozen("statsmodels")["stratified"]
    assert [found.mean_human.value, found.mean_judge.value] == pytest.approx(said["means"], **EXACT)
    assert found.pearson.value == pytest.approx(said["pearson"], **EXACT)
