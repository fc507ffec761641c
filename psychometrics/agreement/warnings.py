"""When two judges disagree so much that conclusions may hang on the choice.

The thresholds are judgements (design of the measurement, section 5); a value exactly on one does not warn.
What cannot be measured is warned about too: silence would read as agreement.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from psychometrics.inference.estimates import Reason

if TYPE_CHECKING:
    from psychometrics.agreement.pairs import Agreement

MIN_ALPHA = 0.80
MAX_OFFSET = 0.03  # score points, either way
MIN_KAPPA = 0.75
MAX_THETA_CHANGE = 1.0  # cluster standard errors
MIN_CLUSTERS = 15  # fewer make cluster-robust intervals too narrow


class WarningCode(StrEnum):
    """What is wrong; `value` and `threshold` of the warning are in the unit given here."""

    ALPHA_LOW = "alpha_low"  # Krippendorff's alpha, interval
    OFFSET_LARGE = "offset_large"  # mean of y - x in score points, with its sign; the threshold has none
    KAPPA_LOW = "kappa_low"
    THETA_MOVED = "theta_moved"  # theta under y less theta under x, in standard errors, with its sign
    FEW_CLUSTERS = "few_clusters"  # number of clusters
    NOT_MEASURED = "not_measured"  # no value to hold against the threshold


@dataclass(frozen=True)
class ThetaChange:
    """Ability of one group under judge x and judge y, in logits, and its cluster error under judge x."""

    group: str
    theta_x: float
    theta_y: float
    se: float

    @property
    def in_errors(self) -> float:
        """Change in standard errors; NaN where an ability or the error is unknown or the error is 0."""
        return (self.theta_y - self.theta_x) / self.se if self.se > 0 else math.nan


@dataclass(frozen=True)
class AgreementWarning:
    """`subject` is a field of Agreement or, for theta, the group; `reason` only where nothing is measured."""

    code: WarningCode
    subject: str
    value: float
    threshold: float
    reason: Reason | None = None


def agreement_warnings(
    agreement: "Agreement", theta_changes: Iterable[ThetaChange] = ()
) -> tuple[AgreementWarning, ...]:
    """Every threshold that is passed, and every one that cannot be checked."""
    alpha, offset, kappa = agreement.alpha_interval, agreement.offset, agreement.kappa
    thresholds = {"alpha_interval": MIN_ALPHA, "offset": MAX_OFFSET, "kappa": MIN_KAPPA}
    unmeasured = [
        (subject, agreement.statistics[subject])
        for subject in thresholds
        if not agreement.statistics[subject].known
    ]
    warnings = [
        AgreementWarning(WarningCode.NOT_MEASURED, subject, none.value, thresholds[subject], none.reason)
        for subject, none in unmeasured
    ]
    if alpha.value < MIN_ALPHA:
        warnings.append(AgreementWarning(WarningCode.ALPHA_LOW, "alpha_interval", alpha.value, MIN_ALPHA))
    if abs(offset.value) > MAX_OFFSET:
        warnings.append(AgreementWarning(WarningCode.OFFSET_LARGE, "offset", offset.value, MAX_OFFSET))
    if kappa.value < MIN_KAPPA:
        warnings.append(AgreementWarning(WarningCode.KAPPA_LOW, "kappa", kappa.value, MIN_KAPPA))
    if agreement.clusters < MIN_CLUSTERS:
        few = AgreementWarning(WarningCode.FEW_CLUSTERS, "clusters", agreement.clusters, MIN_CLUSTERS)
        warnings.append(few)
    moves = ((change.group, change.in_errors) for change in theta_changes)
    return (*warnings, *theta_warnings(moves))


def theta_warnings(moves: Iterable[tuple[str, float]]) -> Iterator[AgreementWarning]:
    """The same of theta alone: of each subject, by how many standard errors its theta moved."""
    for subject, moved in moves:
        if math.isnan(moved):
            yield AgreementWarning(WarningCode.NOT_MEASURED, subject, moved, MAX_THETA_CHANGE)
        elif abs(moved) > MAX_THETA_CHANGE:
            yield AgreementWarning(WarningCode.THETA_MOVED, subject, moved, MAX_THETA_CHANGE)
