import math
from dataclasses import replace

import pytest

from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.agreement.warnings import (
    MAX_OFFSET,
    MAX_THETA_CHANGE,
    MIN_ALPHA,
    MIN_CLUSTERS,
    MIN_KAPPA,
    AgreementWarning,
    ThetaChange,
    WarningCode,
    agreement_warnings,
)
from psychometrics.inference.estimates import Estimate, Reason

NAN = math.nan


def agreed(*, alpha: float = 0.9, offset: float = 0.0, kappa: float = 0.9, clusters: int = 50) -> Agreement:
    """The agreement of some judges, with the values that are compared put in by hand."""
    found = agreement_from_seed([0, 0.5, 1], [0, 0.5, 1], range(3), seed=1, resamples=0)
    return replace(
        found, alpha_interval=known(alpha), offset=known(offset), kappa=known(kappa), clusters=clusters
    )


def known(value: float) -> Estimate:
    return Estimate(value, 0.01, value - 0.02, value + 0.02)


def codes(found: Agreement, *changes: ThetaChange) -> list[WarningCode]:
    return [warning.code for warning in agreement_warnings(found, changes)]


def test_the_thresholds_are_those_of_the_design() -> None:
    assert (MIN_ALPHA, MAX_OFFSET, MIN_KAPPA, MAX_THETA_CHANGE, MIN_CLUSTERS) == (0.80, 0.03, 0.75, 1.0, 15)


def test_values_on_their_thresholds_do_not_warn() -> None:
    still = ThetaChange("Average", theta_x=0.5, theta_y=0.75, se=0.25)

    assert codes(agreed(alpha=0.80, offset=-0.03, kappa=0.75, clusters=15), still) == []
    assert codes(agreed(offset=0.03)) == []


@pytest.mark.parametrize(
    ("found", "warning"),
    [
        (agreed(alpha=0.799), AgreementWarning(WarningCode.ALPHA_LOW, "alpha_interval", 0.799, 0.80)),
        (agreed(offset=-0.031), AgreementWarning(WarningCode.OFFSET_LARGE, "offset", -0.031, 0.03)),
        (agreed(offset=0.031), AgreementWarning(WarningCode.OFFSET_LARGE, "offset", 0.031, 0.03)),
        (agreed(kappa=0.749), AgreementWarning(WarningCode.KAPPA_LOW, "kappa", 0.749, 0.75)),
        (agreed(clusters=14), AgreementWarning(WarningCode.FEW_CLUSTERS, "clusters", 14, 15)),
    ],
)
def test_a_value_beyond_its_threshold_warns_with_both(found: Agreement, warning: AgreementWarning) -> None:
    assert agreement_warnings(found) == (warning,)


def test_a_group_that_moves_by_more_than_one_error_is_named_with_the_direction() -> None:
    changes = [
        ThetaChange("Average", theta_x=0.5, theta_y=0.25, se=0.125),
        ThetaChange("Top", theta_x=2.0, theta_y=2.1, se=0.2),
    ]

    assert agreement_warnings(agreed(), changes) == (
        AgreementWarning(WarningCode.THETA_MOVED, "Average", -2.0, 1.0),
    )


@pytest.mark.parametrize(("theta_y", "se"), [(NAN, 0.1), (0.5, NAN), (0.5, 0.0)])
def test_a_change_that_cannot_be_measured_warns_too(theta_y: float, se: float) -> None:
    [warning] = agreement_warnings(agreed(), [ThetaChange("Top", theta_x=0.5, theta_y=theta_y, se=se)])

    assert (warning.code, warning.subject) == (WarningCode.NOT_MEASURED, "Top")
    assert math.isnan(warning.value)


def test_statistics_without_a_value_warn_with_the_reason() -> None:
    found = agreement_from_seed([NAN], [0.5], ["r"], seed=1, resamples=0)

    warnings = agreement_warnings(found)

    assert [(warning.code, warning.subject, warning.reason) for warning in warnings] == [
        (WarningCode.NOT_MEASURED, "alpha_interval", Reason.NO_PAIRS),
        (WarningCode.NOT_MEASURED, "offset", Reason.NO_PAIRS),
        (WarningCode.NOT_MEASURED, "kappa", Reason.NO_PAIRS),
        (WarningCode.FEW_CLUSTERS, "clusters", None),
    ]


def test_judges_who_disagree_about_everything_get_every_warning() -> None:
    x, y = [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.2]

    assert codes(agreement_from_seed(x, y, range(4), seed=1, resamples=0)) == [
        WarningCode.ALPHA_LOW,
        WarningCode.OFFSET_LARGE,
        WarningCode.KAPPA_LOW,
        WarningCode.FEW_CLUSTERS,
    ]
