"""Agreement as the database holds it: plain values by name, where absent is null and has a reason."""

from collections.abc import Iterable

import numpy as np

from formats.canonical import JsonValue
from psychometrics.agreement.krippendorff import PanelAgreement
from psychometrics.agreement.pairs import Agreement
from psychometrics.agreement.stored import ENDS, Values
from psychometrics.agreement.two_raters import DECIMALS, MET
from psychometrics.agreement.warnings import AgreementWarning
from psychometrics.inference.clusters import Array, ClusterEstimate
from psychometrics.inference.estimates import Estimate, Share, none_if_nan

GRID = 20  # differences and means are counted in steps of 1/20 score point


def agreement_values(agreement: Agreement, warnings: Iterable[AgreementWarning]) -> Values:
    """Every statistic of two judges, and what they rest on."""
    counts = ("rows", "n", "missing_x", "missing_y", "clusters", "seed", "resamples")
    statistics = {name: _estimate_values(estimate) for name, estimate in agreement.statistics.items()}
    for name, values in statistics.items():
        if isinstance(share := getattr(agreement, name), Share):
            values["count"] = share.count
    return {
        **{name: getattr(agreement, name) for name in counts},
        "statistics": {**statistics},
        "warnings": [warning_values(warning) for warning in warnings],
    }


def panel_values(agreement: PanelAgreement) -> Values:
    """Krippendorff's alpha of all judges at once."""
    counts = ("judges", "units", "scores", "single", "empty", "clusters", "seed", "resamples")
    return {
        **{name: getattr(agreement, name) for name in counts},
        "missing": list(agreement.missing),
        "statistics": {
            "alpha_interval": _estimate_values(agreement.interval),
            "alpha_nominal": _estimate_values(agreement.nominal),
        },
    }


def _estimate_values(estimate: Estimate) -> Values:
    ends = {end: none_if_nan(getattr(estimate, end)) for end in ENDS}
    return {**ends, "reason": str(estimate.reason or "")}


def cluster_values(estimate: ClusterEstimate) -> Values:
    return {**_estimate_values(estimate.estimate), "n": estimate.n, "clusters": estimate.clusters}


def warning_values(warning: AgreementWarning) -> Values:
    return {
        "code": str(warning.code),
        "subject": warning.subject,
        "value": none_if_nan(warning.value),
        "threshold": warning.threshold,
        "reason": str(warning.reason or ""),
    }


def difference_cells(x: Array, y: Array) -> list[JsonValue]:
    """How many pairs there are of each mean and difference y - x on a grid: [mean, difference, pairs]."""
    paired = ~(np.isnan(x) | np.isnan(y))
    steps = np.column_stack([(x + y)[paired] / 2, (y - x)[paired]]) * GRID
    cells, pairs = np.unique(np.rint(steps).astype(np.int64), axis=0, return_counts=True)
    return [
        [mean / GRID, difference / GRID, count]
        for (mean, difference), count in zip(cells.tolist(), pairs.tolist(), strict=True)
    ]


def outside(agreement: Agreement, x: Array, y: Array) -> int:
    """Pairs whose difference is beyond the Bland-Altman limits; none where there are no limits."""
    differences = (y - x).round(DECIMALS)
    beyond = (differences < agreement.lower_limit.value) | (differences > agreement.upper_limit.value)
    return int(beyond.sum())


def confusion(x: Array, y: Array) -> Values:
    """Pairs by which of the judges calls them met."""
    paired = ~(np.isnan(x) | np.isnan(y))
    met_x, met_y = x[paired].round(DECIMALS) >= MET, y[paired].round(DECIMALS) >= MET
    return {
        "both": int((met_x & met_y).sum()),
        "only_x": int((met_x & ~met_y).sum()),
        "only_y": int((~met_x & met_y).sum()),
        "neither": int((~met_x & ~met_y).sum()),
    }
