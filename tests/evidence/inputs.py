"""The fixed inputs that other people's programs and ours are given: made once, with seeds, and stored.

    python -m tests.evidence.inputs FAMILY > inputs.json

Needs numpy alone, so that the scripts of other programs can use it in environments of their own. The numbers
in `frozen` were made with these functions; tests read them from there and never from here.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Inputs = dict[str, Any]


def agreement() -> Inputs:
    """Scores of two judges on 120 answers in 30 clusters, and of three with one score in six missing."""
    rng = np.random.default_rng(101)
    truth = rng.beta(1.2, 0.8, 120)
    three = np.clip(np.round(truth[:, None] + rng.normal(0, 0.15, (120, 3)) - [0, 0.04, 0.02], 1), 0, 1)
    with_gaps = [[None if rng.random() < 1 / 6 else float(v) for v in row] for row in three]
    return {
        "x": three[:, 0].tolist(),
        "y": three[:, 1].tolist(),
        "cluster": (np.arange(120) // 4).tolist(),
        "three": with_gaps,
    }


def answers() -> Inputs:
    """Pairs of 18 people and 24 prompts, crossed and with gaps: scores p, item parameters a and b of each."""
    rng = np.random.default_rng(202)
    a, b = rng.uniform(0.5, 2.5, 24).round(3), rng.normal(0, 1, 24).round(3)
    person, prompt = np.nonzero(rng.random((18, 24)) < 0.6)
    eta = a[prompt] * (rng.normal(0.4, 0.8, 18)[person] - b[prompt]) + rng.normal(0, 2, len(person))
    p = np.round(1 / (1 + np.exp(-eta)), 2)
    y = np.log((0.998 * p + 0.001) / (1 - 0.998 * p - 0.001))
    columns = {"person": person, "prompt": prompt, "a": a[prompt], "b": b[prompt], "p": p, "y": y}
    return {name: column.tolist() for name, column in columns.items()}


def right_or_wrong() -> Inputs:
    """Right-or-wrong answers of 12 people to the same 30 items; nobody has all right or all wrong."""
    rng = np.random.default_rng(303)
    a, b = rng.uniform(0.6, 2.0, 30).round(3), rng.normal(0, 1.2, 30).round(3)
    theta = np.linspace(-1.8, 1.8, 12)
    right = rng.random((12, 30)) < 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    return {"a": a.tolist(), "b": b.tolist(), "right": right.astype(int).tolist()}


def people() -> Inputs:
    """Estimates of 25 people and their error variances; once they differ beyond these, once they do not."""
    rng = np.random.default_rng(404)
    v = rng.uniform(0.3, 0.9, 25).round(4)
    differ, alike = rng.normal(0.2, np.sqrt(v + 0.8)), rng.normal(0.2, np.sqrt(v * 0.9))
    return {"v": v.tolist(), "differ": differ.round(6).tolist(), "alike": alike.round(6).tolist()}


def crossed() -> Inputs:
    """Every one of 20 people on every one of 15 prompts, with effects of both; a is 1."""
    rng = np.random.default_rng(505)
    z = 0.5 + rng.normal(0, 1, (20, 1)) + rng.normal(0, 0.7, (1, 15)) + rng.normal(0, 2, (20, 15))
    return {"z": z.round(4).tolist()}


def regression() -> Inputs:
    """A yes or no of 240 rows in 30 clusters on two predictors."""
    rng = np.random.default_rng(606)
    cluster = np.arange(240) // 8
    x1, x2 = rng.normal(0, 1, 240).round(3), (rng.random(240) < 0.4).astype(int)
    eta = -0.4 + 0.8 * x1 - 0.6 * x2 + rng.normal(0, 0.7, 30)[cluster]
    answered = (rng.random(240) < 1 / (1 + np.exp(-eta))).astype(int)
    columns = {"x1": x1, "x2": x2, "y": answered, "cluster": cluster}
    return {name: column.tolist() for name, column in columns.items()}


def simple() -> Inputs:
    """P-values, accuracies of tasks in percent, 40 cluster totals for a bootstrap of a ratio."""
    rng = np.random.default_rng(707)
    count = rng.integers(3, 12, 40)
    return {
        "p": np.sort(rng.random(12) ** 3)[rng.permutation(12)].round(6).tolist(),
        "accuracy": [0.0, 2.5, 11.0, 24.5, 38.0, 47.5, 63.0, 88.0, 100.0],
        "df": [1, 2, 5, 14, 40, 194],
        "count": count.tolist(),
        "sum": (count * rng.beta(2, 2, 40)).round(4).tolist(),
    }


def stratified() -> Inputs:
    """75 verdicts drawn from strata of 400, 150 and 60, judged by people and by a judge."""
    rng = np.random.default_rng(808)
    frame: list[tuple[str, int, int]] = [("none", 400, 20), ("low", 150, 30), ("full", 60, 25)]
    names = [name for name, _, drawn in frame for _ in range(drawn)]
    bands = {"none": (0.0, 0.2), "low": (0.3, 0.4, 0.6, 0.7), "full": (0.9, 1.0)}
    judge = np.array([rng.choice(bands[name]) for name in names])
    human = np.clip(np.round(judge + rng.normal(0.05, 0.25, 75), 1), 0, 1)
    weight = [verdicts / drawn for _, verdicts, drawn in frame for _ in range(drawn)]
    return {
        "frame": frame,
        "stratum": names,
        "weight": weight,
        "human": human.tolist(),
        "judge": judge.tolist(),
    }


FAMILIES: dict[str, Callable[[], Inputs]] = {
    "agreement": agreement,
    "answers": answers,
    "right_or_wrong": right_or_wrong,
    "people": people,
    "crossed": crossed,
    "regression": regression,
    "simple": simple,
    "stratified": stratified,
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(FAMILIES[sys.argv[1]]()))
