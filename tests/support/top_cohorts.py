"""Small cohorts for tests of Top."""

import string
from collections.abc import Sequence

import numpy as np

from psychometrics.data.cohort import Cohort, Pairs, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Transform

CODES = list(string.ascii_uppercase)
Row = tuple[int, int, int, int, float, float, str]


def pairs_of(rows: Sequence[tuple[str, float] | tuple[str, float, float]]) -> Pairs:
    """Pairs of (code, y) or (code, y, p), each on an item with a = 1 and b = 0 of its own."""
    person = np.array([CODES.index(row[0]) for row in rows], dtype=np.int64)
    p = np.array([row[2] if len(row) == 3 else 0.5 for row in rows], dtype=np.float64)
    n = len(rows)
    return Pairs(
        person=person, prompt=np.arange(n), batch=np.zeros(n, dtype=np.int64), p=p, a=np.ones(n),
        b=np.zeros(n), y=np.array([row[1] for row in rows], dtype=np.float64),
    )  # fmt: skip


def cohort_with(rows: Sequence[tuple[str, str, float]]) -> Cohort:
    """A cohort from (code, prompt, score); prompts whose name starts with p have a = 1 and b = 0."""
    codes, names = sorted({row[0] for row in rows}), sorted({row[1] for row in rows})
    return cohort_of(
        people=[Person(code) for code in codes],
        prompts=[AskedPrompt(name) for name in names],
        bank=bank_with(tuple(name for name in names if name.startswith("p"))),
        rows=[(codes.index(c), names.index(j), 1, 1, p, p, Outcome.SCORED) for c, j, p in rows],
    )


def bank_with(names: tuple[str, ...], seed: int | None = None) -> ItemBank:
    a, b = np.ones(len(names)), np.zeros(len(names))
    if seed is not None:
        rng = np.random.default_rng(seed)
        a, b = np.exp(rng.normal(0, 0.5, len(names))), rng.normal(0, 2, len(names))
    return ItemBank(names, a, b, ("",) * len(names), Transform(0.998, 0.001), 2.5)


def cohort_rows(
    *, people: int, answers: int, seed: int
) -> tuple[list[Person], list[AskedPrompt], ItemBank, list[Row]]:
    """People with answers to half of the prompts, one person and one unknown prompt without any."""
    rng = np.random.default_rng(seed)
    names = tuple(f"p{number:02}" for number in range(2 * answers))
    rows: list[Row] = []
    for person in range(people - 1):
        for place, prompt in enumerate(rng.permutation(2 * answers)[:answers].tolist()):
            p = round(float(rng.random()), 2)
            rows.append((person, prompt, 1, place + 1, p, p, Outcome.SCORED))
    everyone = [Person(f"P{number:02}") for number in range(people)]
    prompts = [AskedPrompt(name) for name in (*names, "unknown")]
    return everyone, prompts, bank_with(names, seed), rows
