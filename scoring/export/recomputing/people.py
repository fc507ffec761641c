"""The block cohort: counts, thetas, and how much people differ."""

import math
from dataclasses import dataclass

import numpy as np

from scoring.export.recomputing.estimators import (
    Root,
    cluster_variance,
    clustered,
    codes_of,
    sizes,
    with_error,
    within,
)
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import Array, Run, Values
from scoring.export.recomputing.uncertainty import designed, first_kind, is_nested


@formula("cohort", *THETAS, "raw_mean", "people", "prompts", "pairs", "k_bar")
def cohort_number(run: Run, row: Values) -> Values:
    rows = run.group(row["group"])
    on_scale = any(prompt["a"] is not None for prompt in run.prompts)  # the items of a bank may be tasks
    rows = rows.pairs if on_scale else rows.of(~np.isnan(rows.p))
    found = sizes(rows)
    if row["name"] in THETAS:
        if row["name"] == "theta.prompt":
            jackknifed = row["details"]["error"] == "se.jackknife_batch"
            return found | clustered(run, row["name"], rows, rows.batch if jackknifed else rows.person)
        return found | designed(run, row["name"], rows, first_kind(rows, nested=is_nested(run.cohort)))
    if row["name"] == "raw_mean":
        mean = float(rows.p.mean())
        root = Root(mean, rows.p - mean, float(len(rows)))
        return found | within(with_error(mean, cluster_variance(root, rows.person), found["people"]), 0, 1)
    values = {**found, "pairs": found["n"], "k_bar": found["n"] / found["prompts"]}
    return found | {"value": values[row["name"]]}


@dataclass(frozen=True, eq=False)
class Own:
    """Everybody's own theta, sum of a^2, and the residual variances that they share; people by number.

    `residual` is the plain one, `weighted` that with weights a^2, on which errors of theta rest.
    """

    person: Array
    theta: Array
    information: Array
    residual: float
    weighted: float

    @property
    def v(self) -> Array:
        return self.weighted / self.information


def own_thetas(run: Run) -> Own:
    rows = run.cohort.pairs
    codes, number = codes_of(rows.person)
    information = np.bincount(codes, rows.a**2, minlength=number)
    z = run.logit(rows.p) + rows.a * rows.b
    theta = np.bincount(codes, rows.a * z, minlength=number) / information
    e = z - rows.a * theta[codes]
    degrees = len(rows) - number
    if not degrees:
        return Own(np.unique(rows.person), theta, information, math.nan, math.nan)
    weighted = float(rows.a**2 @ e**2) / float((rows.a**2 - rows.a**4 / information[codes]).sum())
    return Own(np.unique(rows.person), theta, information, float(e @ e) / degrees, weighted)


def q_at(own: Own, variance: float) -> float:
    total = own.v + variance
    mean = (own.theta / total).sum() / (1 / total).sum()
    return float(((own.theta - mean) ** 2 / total).sum())


def variance_at(own: Own, target: float) -> float:
    """The variance between people at which Q has this value (Paule and Mandel), 0 where it is below at 0."""
    low, high = 0.0, float(((own.theta - own.theta.mean()) ** 2).sum()) / target
    if q_at(own, 0.0) <= target:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if q_at(own, middle) > target else (low, middle)
    return (low + high) / 2


def chi_square_below(x: float, df: float) -> float:
    """P(chi^2 <= x), from the series of the incomplete gamma."""
    if x <= 0:
        return 0.0
    term = total = 1 / (df / 2)
    k = df / 2
    while term > 1e-17 * total:
        k += 1
        term *= x / 2 / k
        total += term
    return total * math.exp(df / 2 * math.log(x / 2) - x / 2 - math.lgamma(df / 2))


def chi_square(probability: float, df: int) -> float:
    """The value that chi^2 stays below with this probability."""
    low, high = 0.0, 10.0 * df + 100
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_below(middle, df) < probability else (low, middle)
    return (low + high) / 2


@formula("cohort", "tau")
def between_people(run: Run, row: Values) -> Values:
    own = own_thetas(run)
    degrees = len(own.theta) - 1
    found = {"value": math.sqrt(variance_at(own, degrees)), "people": len(own.theta)}
    if row["low"] is None:
        return found
    low, high = (math.sqrt(variance_at(own, chi_square(share, degrees))) for share in (0.975, 0.025))
    return found | {"low": low, "high": high}


@formula(
    "cohort", "residual_sd", "person.se", "person.reliability", "person.effective_length", "person.swing"
)
def of_single_people(run: Run, row: Values) -> Values:
    own, rows = own_thetas(run), run.cohort.pairs
    codes, number = codes_of(rows.person)
    if row["name"] == "residual_sd":
        return {"value": math.sqrt(own.residual)}
    if row["name"] == "person.reliability":
        between = variance_at(own, len(own.theta) - 1)
        return {"value": between / (between + float(np.median(own.v)))}
    height = float(run.logit(np.ones(1))[0] - run.logit(np.zeros(1))[0])
    values = {
        "person.se": np.sqrt(own.v),
        "person.effective_length": own.information**2 / np.bincount(codes, rows.a**4, minlength=number),
        "person.swing": rows.a * height / own.information[codes],
    }
    own_values = values[row["name"]]
    low, median, high = (float(point) for point in np.quantile(own_values, [0.1, 0.5, 0.9]))
    tenths = {"p10": low, "p90": high, "largest": float(own_values.max())}
    return {"value": median, "people": number, "details": tenths}
