"""Who gets which prompts: batches handed to several people, or matrix sampling; how prompts hang together.

Nested: the bank is cut once, and every batch goes to several people (GIM paper, appendix G). People and
prompts fall into components that share nothing; on a bank calibrated on models that does no harm to theta,
but people's own item parameters or differential functioning cannot be compared across components, which share
neither a person nor a prompt.
Matrix sampling: every round of people has a cut of its own, so that prompts meet ever different prompts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from psychometrics.irt.transform import Array
from psychometrics.planning.records import MATRIX, NESTED, Linkage

Codes = NDArray[np.int64]
PROMPTS_AT_ONCE = 1000
JITTER = 0.2  # of the logarithm of what batches are to be alike in


@dataclass(frozen=True, eq=False)
class Design:
    """Rows of a person on a prompt (n,); `batch` (people,) numbers the sets of prompts, from 0."""

    person: Codes
    prompt: Codes
    batch: Codes
    prompts: int

    def linkage(self) -> Linkage:
        """Components of the graph of people and prompts, and its smallest degrees."""
        return linkage(self.person, self.prompt, people=len(self.batch), prompts=self.prompts)


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
    if kind not in {NESTED, MATRIX}:
        raise ValueError(f"no design is called {kind!r}")
    cut = _cut(prompts, per_person, alike_in, rng)
    sets = [*cut]
    while len(sets) < people:
        sets += cut if kind == NESTED else _cut(prompts, per_person, alike_in, rng)
    given = sets[:people]
    batches = -(-prompts // per_person)
    numbers = np.arange(people) % batches if kind == NESTED else np.arange(people)
    return Design(
        person=np.repeat(np.arange(people), [len(batch) for batch in given]).astype(np.int64),
        prompt=np.concatenate(given),
        batch=numbers.astype(np.int64),
        prompts=prompts,
    )


def _cut(prompts: int, per_person: int, alike_in: Array | None, rng: np.random.Generator) -> list[Codes]:
    if alike_in is None:
        shuffled = rng.permutation(prompts).astype(np.int64)
        return [shuffled[start : start + per_person] for start in range(0, prompts, per_person)]
    # Strata of about equal values, largest first; in each the batch with least so far gets the largest.
    # What is sorted by is jittered, so that every cut puts other prompts together.
    values, batches = alike_in, -(-prompts // per_person)
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


def linkage(person: Codes, prompt: Codes, *, people: int, prompts: int) -> Linkage:
    """The linkage of rows (n,) of a person, from 0, on a prompt, from 0; nobody meets a prompt twice."""
    asked = np.unique(prompt)
    if not len(asked):
        return Linkage(0, 0, 0, 0)
    ones = np.ones(len(person), dtype=np.int64)
    asks = csr_array((ones, (person, prompt)), shape=(people, prompts))
    whole = csr_array((ones, (person, people + prompt)), shape=(people + prompts,) * 2)
    components, _ = connected_components(whole, directed=False)
    # Some prompts at a time: for all of a large bank at once, who meets whom takes over a gigabyte.
    askers = asks.T.tocsr()
    neighbours = (
        np.diff((askers[asked[start : start + PROMPTS_AT_ONCE]] @ asks).tocsr().indptr)
        for start in range(0, len(asked), PROMPTS_AT_ONCE)
    )
    idle = people - len(np.unique(person)) + prompts - len(asked)
    return Linkage(
        components=int(components) - idle,
        fewest_people=int(np.bincount(prompt)[asked].min()),
        fewest_neighbours=min(int(count.min()) for count in neighbours) - 1,
        asked=len(asked),
    )


def batch_linkage(members: Sequence[Codes], *, people_per_batch: int, prompts: int) -> Linkage:
    """The linkage once every batch of prompt numbers is worked on by so many people."""
    people = len(members) * people_per_batch
    rows = [batch for batch in members for _ in range(people_per_batch)]
    sizes = [len(batch) for batch in rows]
    prompt = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    person = np.repeat(np.arange(people, dtype=np.int64), sizes)
    return linkage(person, prompt, people=people, prompts=prompts)
