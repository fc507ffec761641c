"""How people and prompts hang together through who is asked what.

Components share neither a person nor a prompt. On a bank calibrated on models they do no harm to theta, but
people's own item parameters, or differential functioning, cannot be compared across components.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

Codes = NDArray[np.int64]
PROMPTS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Linkage:
    """How a design hangs together, over the prompts that somebody is asked.

    `fewest_people`: people of the prompt with fewest (minimum degree between people and prompts).
    `fewest_neighbours`: other prompts that the worst linked prompt shares a person with.
    """

    components: int
    fewest_people: int
    fewest_neighbours: int
    asked: int


def linkage(person: Codes, prompt: Codes, *, people: int, prompts: int) -> Linkage:
    """The linkage of rows (n,) of a person, from 0, on a prompt, from 0; nobody meets a prompt twice."""
    asked = np.unique(prompt)
    if not len(asked):
        return Linkage(0, 0, 0, 0)
    ones = np.ones(len(person), dtype=np.int64)
    asks = csr_array((ones, (person, prompt)), shape=(people, prompts))
    whole = csr_array((ones, (person, people + prompt)), shape=(people + prompts,) * 2)
    components, _ = connected_components(whole, directed=False)
    idle = people - len(np.unique(person)) + prompts - len(asked)
    return Linkage(
        components=int(components) - idle,
        fewest_people=int(np.bincount(prompt)[asked].min()),
        fewest_neighbours=_fewest_neighbours(asks, asked),
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


def _fewest_neighbours(asks: csr_array, asked: Codes) -> int:
    """Some prompts at a time: for all of a large bank at once, who meets whom takes over a gigabyte."""
    askers = asks.T.tocsr()
    counts = (
        np.diff((askers[asked[start : start + PROMPTS_AT_ONCE]] @ asks).tocsr().indptr)
        for start in range(0, len(asked), PROMPTS_AT_ONCE)
    )
    return min(int(count.min()) for count in counts) - 1
