"""The block models, of models that have only a published theta: what it would be for single responses."""

import math
from functools import cache

import numpy as np

from scoring.export.recomputing.bank import Bank, whole_bank
from scoring.export.recomputing.formulas import formula
from scoring.export.recomputing.models import design_of, seeds_of
from scoring.export.recomputing.process import CENTRE, TARGETS, Process, of_targets
from scoring.export.recomputing.reading import Z_95, Array, Run, Values
from scoring.export.recomputing.uncertainty import designed

THETA_GRID = np.linspace(-6, 6, 49)
MOST_EPOCHS = 20
# The process and thirteen others; the band runs from the lowest to the highest of what they give.
ASSUMED = (
    CENTRE,
    *(
        Process(icc=icc, deviation=deviation)
        for icc in (0.2, 0.4, 0.7)
        for deviation in (1.5, 1.9, 2.2)
        if (icc, deviation) != (CENTRE.icc, CENTRE.deviation)
    ),
    Process(exact=0.1), Process(exact=0.2), Process(certain=1.0), Process(certain=0.9), Process(most=5),
)  # fmt: skip


@formula("models", "theta.published")
def as_published(run: Run, row: Values) -> Values:
    one = published_model(run, row)
    found = {"value": one["published_theta"]}
    if one["published_se"] is None:
        return found
    half = Z_95 * one["published_se"]
    ends = {"low": found["value"] - half, "high": found["value"] + half}
    return found | {"se": one["published_se"]} | ends


def published_model(run: Run, row: Values) -> Values:
    name = row["subset"].partition(":")[2]
    return next(one for one in run.export.table("models") if one["model"] == name)


@formula("models", "theta.modelled_k1")
def for_single_responses(run: Run, row: Values) -> Values:
    central, low, high = band(run, row)
    return {"value": central, "low": low, "high": high}


def band(run: Run, row: Values) -> tuple[float, float, float]:
    """The published theta under each variant: the central one, the lowest and the highest."""
    whole_bank(run, row)
    one = published_model(run, row)
    curves = curves_of(run, row["scope"], one["epochs"])
    found = [
        float(np.interp(one["published_theta"], *curve, left=math.nan, right=math.nan)) for curve in curves
    ]
    return found[0], min(found), max(found)


@cache
def curves_of(run: Run, scope: str, epochs: int) -> list[tuple[Array, Array]]:
    """Theta over so many epochs, and over one, at each of THETA_GRID, under each variant."""
    bank = whole_bank(run, {"scope": scope})
    rng = np.random.default_rng([seeds_of(run)["published"], epochs])
    found = []
    for process in ASSUMED:
        rubric = rng.integers(3, process.most + 1, len(bank.a))
        criteria = np.where(rng.random(len(bank.a)) < process.exact, 1, rubric)
        of_k, of_one = (
            true_abilities(run, bank, criteria, k, process) for k in (min(epochs, MOST_EPOCHS), 1)
        )
        found.append((of_k, of_one))
    return found


def true_abilities(run: Run, bank: Bank, criteria: Array, k: int, process: Process) -> Array:
    """What the published scorer finds on average from k responses to every item, at each of THETA_GRID."""
    target = bank.a * (THETA_GRID[:, None] - bank.b)
    expected = np.empty(target.shape)
    for n in np.unique(criteria).tolist():
        own = criteria == n
        expected[:, own] = np.interp(target[:, own], TARGETS, of_targets(run, n, k, process))
    found: Array = (expected + bank.a * bank.b) @ bank.a / (bank.a @ bank.a)
    return found


@formula("models", "difference.modelled")
def above_band(run: Run, row: Values) -> Values:
    """From the cohort's lowest against the band's highest to the opposite, the published error included."""
    central, low, high = band(run, row)
    rows = run.group("average").pairs
    cohort = designed(run, "theta.pool", rows, design_of(rows))
    found = {"value": cohort["value"] - central}
    error = published_model(run, row)["published_se"]
    if error is None or "low" not in cohort:
        return found
    half = Z_95 * error
    return found | {"low": cohort["low"] - high - half, "high": cohort["high"] - low + half}
