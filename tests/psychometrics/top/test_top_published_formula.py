"""The public item bank scored by our code is the published formula, item by item, in plain floats."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from formats.item_parameters import read_item_parameters
from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.inference.between_person import own_abilities
from psychometrics.inference.clusters import linear_estimate
from psychometrics.irt.ability import abilities_of, group_ability
from psychometrics.irt.bank import ItemBank, item_bank_from
from psychometrics.irt.transform import Array

SETS, UNKNOWN = 1_000, ("not-in-the-bank-1", "not-in-the-bank-2")


def published_theta(scores: dict[str, float], items: dict[str, dict[str, float]]) -> float:
    """GIM paper, equation 2: unknown items and missing scores are left out."""
    above, below = [], []
    for prompt_id, score in scores.items():
        if prompt_id in items and not math.isnan(score):
            a, b = items[prompt_id]["a"], items[prompt_id]["b"]
            q = 0.998 * score + 0.001
            above.append(a * (math.log(q / (1 - q)) + a * b))
            below.append(a * a)
    return math.fsum(above) / math.fsum(below) if below else math.nan


def test_a_thousand_random_score_sets_equal_the_published_formula(shared_data: Path) -> None:
    path = shared_data / "gim" / "irt_params.json"
    bank = item_bank_from(read_item_parameters(path))
    sets = [random_scores(bank, np.random.default_rng(seed)) for seed in range(SETS)]
    items = json.loads(path.read_text())["items"]
    expected = [published_theta(scores, items) for scores in sets]

    one_by_one = [theta_of(scores, bank) for scores in sets]
    at_once = abilities_of(np.array([in_bank_order(scores, bank) for scores in sets]), bank).theta
    cohort = cohort_with(sets, bank)
    own = own_abilities(cohort.pairs)

    assert one_by_one == pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)
    assert at_once == pytest.approx(np.array(expected), rel=0, abs=1e-12, nan_ok=True)
    assert own.theta == pytest.approx(np.array(expected)[own.person], rel=0, abs=1e-12)
    assert np.isnan(expected).sum() == SETS - len(own.theta) > 0
    pooled = linear_estimate(cohort.pairs.a, cohort.pairs.z, cohort.pairs.person).estimate.value
    assert pooled == pytest.approx(float(own.information @ own.theta / own.information.sum()), abs=1e-12)


def random_scores(bank: ItemBank, rng: np.random.Generator) -> dict[str, float]:
    """Up to 40 prompts, two of them unknown; some scores are missing, many 0 or 1; sometimes none is left."""
    chosen = [bank.prompt_ids[j] for j in rng.permutation(len(bank))[: rng.integers(0, 39)]]
    p = rng.choice([0.0, 1.0, math.nan, *rng.random(3).tolist()], len(chosen) + len(UNKNOWN))
    return dict(zip([*chosen, *UNKNOWN], p.tolist(), strict=True))


def theta_of(scores: dict[str, float], bank: ItemBank) -> float:
    places = np.array([bank.index.get(prompt_id, -1) for prompt_id in scores], dtype=np.int64)
    return group_ability(places, np.array(list(scores.values())), bank).theta_pool


def in_bank_order(scores: dict[str, float], bank: ItemBank) -> Array:
    return np.array([scores.get(prompt_id, math.nan) for prompt_id in bank.prompt_ids])


def cohort_with(sets: list[dict[str, float]], bank: ItemBank) -> Cohort:
    names = [*bank.prompt_ids, *UNKNOWN]
    places = {name: place for place, name in enumerate(names)}
    rows = [
        (person, places[name], 1, 1, p, p, Outcome.UNSCORED if math.isnan(p) else Outcome.SCORED)
        for person, scores in enumerate(sets)
        for name, p in scores.items()
    ]
    people = [Person(f"P{number:04}") for number in range(len(sets))]
    return cohort_of(people=people, prompts=[AskedPrompt(name) for name in names], bank=bank, rows=rows)
