"""The block slices: theta of parts of the prompts and of the people."""

import math
from collections import Counter

import numpy as np

from scoring.export.recomputing.estimators import clustered, sizes, t_quantile
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import TOLERANCE, Array, Rows, Run, Values


@formula("slices", *THETAS)
def theta_of_part(run: Run, row: Values) -> Values:
    part, _, error = row["subset"].partition(";")
    kind, _, value = part.partition(":")
    rows = run.group(row["group"]).of(in_part(run, run.group(row["group"]), kind, value)).pairs
    by_batch = error == "se.batch"
    return sizes(rows) | clustered(run, row["name"], rows, rows.batch if by_batch else rows.person)


COLUMNS = {"category": "result_category", "subcategory": "result_subcategory", "modality": "modality"}


def in_part(run: Run, rows: Rows, kind: str, value: str) -> Array:
    """The rows of a part, such as `category` QR or `cell` QR/stem-phd."""
    if kind == "cell":
        category, _, profile = value.rpartition("/")
        return in_part(run, rows, "category", category) & in_part(run, rows, "profile", profile)
    if kind in ("profile", "arm"):
        return np.array([one[kind] == value for one in run.people], dtype=bool)[rows.person]
    if kind == "label":
        return np.array([value in one["labels"] for one in run.prompts], dtype=bool)[rows.prompt]
    if kind == "split":
        return np.full(len(rows), value == "public")
    return np.array([one[COLUMNS[kind]] == value for one in run.prompts], dtype=bool)[rows.prompt]


@formula("slices", *(f"arms.{name}" for name in THETAS))
def difference_of_arms(run: Run, row: Values) -> Values:
    """First less second arm; errors by people, with Welch's degrees of freedom."""
    everyone = run.group("average")
    names = row["details"]["first"], row["details"]["second"]
    arms = [everyone.of(in_part(run, everyone, "arm", name)).pairs for name in names]
    found = {"n": sum(len(arm) for arm in arms), "people": sum(len(set(arm.person)) for arm in arms)}
    one, other = (clustered(run, row["name"].removeprefix("arms."), arm, arm.person) for arm in arms)
    if "value" not in one or "value" not in other:
        return found
    found["value"] = one["value"] - other["value"]
    if "se" not in one or "se" not in other:
        return found
    variances = one["se"] ** 2, other["se"] ** 2
    parts = zip(variances, (one, other), strict=True)
    shares = sum(variance**2 / (part["clusters"] - 1) for variance, part in parts)
    half = t_quantile(math.floor(sum(variances) ** 2 / shares + TOLERANCE)) * math.sqrt(sum(variances))
    return found | {
        "se": math.sqrt(sum(variances)),
        "low": found["value"] - half,
        "high": found["value"] + half,
        "clusters": found["people"],
    }


@formula("slices", "labels.left_out")
def rare_labels(run: Run, row: Values) -> Values:
    prompts = Counter(label for one in run.prompts for label in set(one["labels"]))
    return {"value": sum(number < row["details"]["fewest_prompts"] for number in prompts.values())}
