"""Cutting a bank into batches: at random as in the published pilot, balanced, or anew for every place."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from batches.rules.balance import balanced_members
from batches.rules.traits import PromptTraits


class AssemblyRefused(ValueError):
    """No batches can be made from this input; the message says why and what to do."""


def assemble_random(
    prompt_ids: Sequence[str], *, batch_size: int, rng: np.random.Generator
) -> list[list[str]]:
    """Cut the shuffled prompts into batches of `batch_size`; the last holds what is left (GIM, appendix G).

    The result depends on the set of ids and on `rng`, not on the order of `prompt_ids`.
    """
    _refuse_bad_input(prompt_ids, batch_size)
    ordered = sorted(prompt_ids)
    shuffled = [ordered[index] for index in rng.permutation(len(ordered))]
    return [shuffled[start : start + batch_size] for start in range(0, len(shuffled), batch_size)]


def assemble_balanced(
    traits: Sequence[PromptTraits], *, batch_size: int, rng: np.random.Generator, swaps: int = 20_000
) -> list[list[str]]:
    """Make batches alike in difficulty, discrimination, category and modality; sizes as in `assemble_random`.

    `swaps` is the largest number of swaps made; the search ends earlier when no swap between any two batches
    helps. Prompts within a batch come in random order, so that the order says nothing about difficulty.
    The result depends on the set of prompts and on `rng`, not on the order of `traits`.
    """
    _refuse_bad_input([prompt.prompt_id for prompt in traits], batch_size)
    if not traits:
        return []
    ordered = sorted(traits, key=lambda prompt: prompt.prompt_id)
    full, rest = divmod(len(ordered), batch_size)
    sizes = np.array([batch_size] * full + [rest] * (rest > 0), dtype=np.int64)
    members = balanced_members(ordered, sizes, rng=rng, swaps=swaps)
    return [[ordered[index].prompt_id for index in batch] for batch in members]


def assemble_matrix(
    traits: Sequence[PromptTraits], *, batch_size: int, cuts: int, rng: np.random.Generator
) -> list[list[str]]:
    """So many independent cuts, each as by `assemble_balanced`, one after the other.

    With one person a batch, every prompt is asked of as many people as there are cuts, and prompts meet ever
    different prompts. Raises AssemblyRefused where cuts could not differ or would link nothing.
    """
    if batch_size == 1:
        raise AssemblyRefused(
            'Batches of one prompt link no prompts, so "matrix" means nothing; raise batch_size or choose '
            "another assembly."
        )
    if 0 < len(traits) <= batch_size:
        raise AssemblyRefused(
            f'A batch of {batch_size} holds all {len(traits)} prompts, so all cuts of "matrix" would be the '
            "same; lower batch_size or choose another assembly."
        )
    if cuts < 2:
        raise AssemblyRefused(
            '"matrix" needs two people or more for every prompt; raise replicates_per_profile or choose '
            "another assembly."
        )
    return [batch for _ in range(cuts) for batch in assemble_balanced(traits, batch_size=batch_size, rng=rng)]


def _refuse_bad_input(prompt_ids: Sequence[str], batch_size: int) -> None:
    if batch_size < 1:
        raise AssemblyRefused(f"The batch size is {batch_size}; set it to at least 1.")
    repeated = sorted(prompt_id for prompt_id, times in Counter(prompt_ids).items() if times > 1)
    if repeated:
        raise AssemblyRefused(
            f"{len(repeated)} prompt ids occur more than once (the first is {repeated[0]!r}); "
            "name every prompt exactly once."
        )
