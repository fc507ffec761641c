"""What other people's programs said, as it was stored; see README.md beside this file."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from psychometrics.agreement.paired import ScorePairs, Sums, columns, pair_scores, sums_of
from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import Array
from psychometrics.irt.transform import Transform

FOLDER = Path(__file__).parent / "frozen"
TRANSFORM = Transform(0.998, 0.001)


@cache
def frozen(name: str) -> dict[str, Any]:
    """The results of a program."""
    return dict(stored(name)["results"])


@cache
def stored(name: str) -> dict[str, Any]:
    """The whole file: program, version, script, inputs and results."""
    return dict(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def given(name: str, family: str) -> dict[str, Any]:
    """The inputs of this family that the program was given."""
    return dict(stored(name)["inputs"][family])


def pairs_given(name: str) -> Pairs:
    """Crossed answers of people to prompts, all in one batch."""
    own = given(name, "answers")
    person, prompt = (np.array(own[one], dtype=np.int64) for one in ("person", "prompt"))
    a, b, p, y = (np.array(own[one], dtype=np.float64) for one in ("a", "b", "p", "y"))
    return Pairs(person=person, prompt=prompt, batch=np.zeros_like(person), p=p, a=a, b=b, y=y)


def score_pairs(name: str) -> ScorePairs:
    """Two judges' scores of the same answers."""
    own = given(name, "agreement")
    return pair_scores(own["x"], own["y"], np.arange(len(own["x"])))


def sums_given(name: str) -> Sums:
    """The sums that coefficients of two judges are functions of."""
    pairs = score_pairs(name)
    return sums_of(columns(pairs).sum(axis=0)[None, :], pairs)


def one(values: Array) -> float:
    """The only value of an array (1,)."""
    return float(values[0])
