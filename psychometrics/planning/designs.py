"""Who gets which prompts: batches handed to several people, or matrix sampling; how prompts hang together.

Nested: the bank is cut once, and every batch goes to several people (GIM paper, appendix G). People and
prompts fall into components that share nothing; on a bank calibrated on models that does no harm to theta,
but people's own item parameters or differential functioning cannot be compared across components.
Matrix sampling: every round of people has a cut of its own, so that prompts meet ever different prompts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from psychometrics.irt.transform import Array
from psychometrics.planning.linkage import Linkage, linkage

Codes = NDArray[np.int64]
NESTED, MATRIX = "nested", "matrix"
JITTER = 0.2  # of the logarithm of what batches are to be alike in


@dataclass(frozen=True, eq=False)
class Design:
    """Rows of a person on a prompt (n,); `batch` (people,) numbers the sets of prompts, from 0."""

    person: Codes
    prompt: Codes
    batch: Codes
    prompts: int

    @property
    def people(self) -> int:
        return len(self.batch)


def design_of(
    kind: str,
    *,
    people: int,
    prompts: int,
    per_person: int,
    rng: np.random.Generator,
    alike_in: Array | None = None,
) -> Design:
    """Batches handed out in turn: nested from one cut of the prompts, matrix from a new one each round.

    With `alike_in` (prompts,), such as information a^2, batches are nearly equal in its sum; without, a
    cut is random.
    """
    cuts = _cuts(kind, lambda: _cut(prompts, per_person, alike_in, rng))
    sets: list[Codes] = []
    while len(sets) < people:
        sets += next(cuts)
    given = sets[:people]
    batches = -(-prompts // per_person)
    numbers = np.arange(people) % batches if kind == NESTED else np.arange(people)
    return Design(
        person=np.repeat(np.arange(people), [len(one) for one in given]).astype(np.int64),
        prompt=np.concatenate(given),
        batch=numbers.astype(np.int64),
        prompts=prompts,
    )


def linkage_of(design: Design) -> Linkage:
    """Components of the graph of people and prompts, and its smallest degrees."""
    return linkage(design.person, design.prompt, people=design.people, prompts=design.prompts)


def _cuts(kind: str, cut: Callable[[], list[Codes]]) -> Iterator[list[Codes]]:
    if kind not in {NESTED, MATRIX}:
        raise ValueError(f"no design is called {kind!r}")
    found = cut()
    while True:
        yield found
        if kind == MATRIX:
            found = cut()


def _cut(prompts: int, per_person: int, alike_in: Array | None, rng: np.random.Generator) -> list[Codes]:
    batches = -(-prompts // per_person)
    if alike_in is None:
        shuffled = rng.permutation(prompts).astype(np.int64)
        return [shuffled[start : start + per_person] for start in range(0, prompts, per_person)]
    return _alike(alike_in, batches, rng)


def _alike(values: Array, batches: int, rng: np.random.Generator) -> list[Codes]:
    """Strata of about equal values, largest first; in each the batch with least so far gets the largest.

    What is sorted by is jittered, so that every cut puts other prompts together.
    """
    order = np.argsort(-values * np.exp(JITTER * rng.standard_normal(len(values))))
    sums = np.zeros(batches)
    members: list[list[int]] = [[] for _ in range(batches)]
    for start in range(0, len(order), batches):
        stratum = order[start : start + batches]
        stratum = stratum[np.argsort(-values[stratum], kind="stable")]
        for batch, prompt in zip(np.lexsort((rng.random(batches), sums)), stratum, strict=False):
            members[batch].append(int(prompt))
            sums[batch] += values[prompt]
    return [np.array(batch, dtype=np.int64) for batch in members]
