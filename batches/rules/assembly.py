"""Cutting a bank into batches: at random as in the published pilot, balanced, or anew for every place.

A balanced cut starts stratified and swaps until no swap between two batches helps. It minimises
the between-batch sum of squares of standardised features x (J prompts by F features),

    Q = sum_b |S_b|^2 / n_b,    S_b = sum_{j in b} x_j,

over partitions with given batch sizes n_b. Swapping i in A with j in B changes Q by

    (1/n_A + 1/n_B) |x_j - x_i|^2 + 2 (x_j - x_i) . (S_A/n_A - S_B/n_B).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from batches.rules.coverage import REFERENCE_ABILITIES, PromptTraits
from formats.wording import gettext_noop

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_WORTH_A_SWAP = -1e-9
"""Largest change of Q that counts as an improvement, well above rounding, so that the search ends."""


def parameters_of(traits: Sequence[PromptTraits]) -> tuple[FloatArray, FloatArray]:
    """Return a and b, each of shape (J,), NaN where a prompt has no parameters."""
    pairs = [(t.a, t.b) if t.has_parameters else (np.nan, np.nan) for t in traits]
    table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def expected_raw(a: FloatArray, b: FloatArray, *, theta: float) -> FloatArray:
    """Approximate expected raw score in [0, 1] at ability theta: logistic(a (theta - b)); NaN stays NaN.

    The logistic of the mean logit is close enough to rank and balance prompts; nothing is scored with it.
    """
    # 0.5 (1 + tanh(x / 2)) is the logistic function without overflow for far items (|ab| > 700).
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * a * (theta - b))), dtype=np.float64)


def indicators(labels: Sequence[str]) -> tuple[list[str], FloatArray]:
    """Return the sorted distinct labels and a (J, labels) matrix with 1 where a prompt carries the label."""
    names = sorted(set(labels))
    column_of = {name: column for column, name in enumerate(names)}
    matrix = np.zeros((len(labels), len(names)))
    matrix[np.arange(len(labels)), [column_of[label] for label in labels]] = 1.0
    return names, matrix


class AssemblyRefused(ValueError):
    """No batches can be made from this input; `sentence` with its `facts` says why and what to do."""

    def __init__(self, sentence: str, **facts: object) -> None:
        super().__init__(sentence % facts)
        self.sentence, self.facts = sentence, facts


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
    x = balance_features(ordered)
    # Expected raw score at the first reference ability, shape (J,); the mean where it is unknown.
    ease = expected_raw(*parameters_of(ordered), theta=REFERENCE_ABILITIES[0])
    known = np.isfinite(ease)
    ease = np.where(known, ease, ease[known].mean() if known.any() else 0.0)
    members = _stratified_start(ease, sizes, rng=rng)
    x_or_empty = np.vstack([x, np.zeros(x.shape[1])])  # index -1, an empty seat, reads the row of zeros
    made, quiet_rounds = 0, 0
    rounds = _rounds_of_pairs(rng.permutation(len(sizes)))
    # As many quiet rounds as there are batches: all pairs of batches were tried without a gain.
    while made < swaps and quiet_rounds < len(sizes):
        done = _swap_best(members, x_or_empty, sizes, next(rounds), most=swaps - made)
        made, quiet_rounds = made + done, 0 if done else quiet_rounds + 1
    shuffled = [rng.permutation(row[row >= 0]) for row in members]
    return [[ordered[index].prompt_id for index in batch] for batch in shuffled]


def assemble_matrix(
    traits: Sequence[PromptTraits], *, batch_size: int, cuts: int, rng: np.random.Generator
) -> list[list[str]]:
    """So many independent cuts, each as by `assemble_balanced`, one after the other.

    With one person a batch, every prompt is asked of as many people as there are cuts, and prompts meet ever
    different prompts. Raises AssemblyRefused where cuts could not differ or would link nothing.
    """
    if batch_size == 1:
        raise AssemblyRefused(
            gettext_noop(
                "Sets of one question link no questions, so matrix sampling means nothing; ask more of each "
                "person, or build the sets another way."
            )
        )
    if 0 < len(traits) <= batch_size:
        raise AssemblyRefused(
            gettext_noop(
                "A set of %(size)d holds every question there is, so every cut of matrix sampling would be "
                "the same; ask fewer of each person, or build the sets another way."
            ),
            size=batch_size,
        )
    if cuts < 2:
        raise AssemblyRefused(
            gettext_noop(
                "Matrix sampling needs two people or more for every question; ask more people of a "
                "profile, or build the sets another way."
            )
        )
    return [batch for _ in range(cuts) for batch in assemble_balanced(traits, batch_size=batch_size, rng=rng)]


def _refuse_bad_input(prompt_ids: Sequence[str], batch_size: int) -> None:
    if batch_size < 1:
        raise AssemblyRefused(
            gettext_noop("Questions per person: %(size)d; ask at least 1 of each."), size=batch_size
        )
    repeated = sorted(prompt_id for prompt_id, times in Counter(prompt_ids).items() if times > 1)
    if repeated:
        raise AssemblyRefused(
            gettext_noop(
                "Prompt ids that occur more than once: %(number)d (the first is %(first)s); name every "
                "prompt exactly once."
            ),
            number=len(repeated),
            first=repr(repeated[0]),
        )


def balance_features(traits: Sequence[PromptTraits]) -> FloatArray:
    """Return the features to balance, shape (J, F), each column with mean 0 and variance 1 (or all 0).

    Columns: expected raw score at each reference ability, log a^2, a^2, one per modality, one per category.
    A prompt without item parameters sits at the mean (0) of every column made from them.
    """
    a, b = parameters_of(traits)
    curve = [expected_raw(a, b, theta=theta) for theta in REFERENCE_ABILITIES]
    numbers = np.column_stack([*curve, 2.0 * np.log(a), a**2])
    _, modality = indicators([t.modality for t in traits])
    _, category = indicators([t.category for t in traits])
    columns = np.column_stack([numbers, modality, category])
    known = np.isfinite(columns)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, columns, 0.0).sum(axis=0) / count
    centred = np.where(known, columns - mean, 0.0)
    sd = np.sqrt((centred**2).sum(axis=0) / count)
    return centred / np.where(sd > 0.0, sd, 1.0)


def _stratified_start(ease: FloatArray, sizes: IntArray, *, rng: np.random.Generator) -> IntArray:
    """Deal prompts sorted by ease over the batches; shape (batches, largest size), -1 where there is no seat.

    Seat k of a batch with n seats draws a place in ((k)/n, (k+1)/n), so a smaller batch spans the range too.
    """
    seats = np.arange(int(sizes.max()))
    place = (seats + rng.random((len(sizes), len(seats)))) / sizes[:, None]
    place[seats >= sizes[:, None]] = np.inf
    by_place = np.argsort(place, axis=None)[: len(ease)]
    by_ease = np.lexsort((rng.random(len(ease)), ease))
    members = np.full(place.size, -1, dtype=np.int64)
    members[by_place] = by_ease
    return members.reshape(place.shape)


def _rounds_of_pairs(batches: IntArray) -> Iterator[IntArray]:
    """Yield rounds of disjoint pairs for ever, shape (pairs, 2), by the circle method of tournaments.

    Every pair of n batches meets once in any n consecutive rounds (n - 1 when n is even).
    """
    ring = np.append(batches, -1) if len(batches) % 2 else batches
    half = len(ring) // 2
    while True:
        pairs = np.column_stack([ring[:half], ring[half:][::-1]])
        yield pairs[(pairs >= 0).all(axis=1)]
        ring = np.concatenate([ring[:1], np.roll(ring[1:], 1)])


def _swap_best(members: IntArray, x: FloatArray, sizes: IntArray, pairs: IntArray, *, most: int) -> int:
    """In each pair of batches make the one swap that helps most, if any helps; return how many were made."""
    if not len(pairs):
        return 0
    first, second = pairs[:, 0], pairs[:, 1]
    change = _changes(members[first], members[second], x, sizes[first], sizes[second])
    best = change.reshape(len(pairs), -1).argmin(axis=1)
    i, j = np.unravel_index(best, change.shape[1:])
    helps = np.flatnonzero(change[np.arange(len(pairs)), i, j] < _WORTH_A_SWAP)[:most]
    a_seat, b_seat = (first[helps], i[helps]), (second[helps], j[helps])
    members[a_seat], members[b_seat] = members[b_seat], members[a_seat]
    return len(helps)


def _changes(in_a: IntArray, in_b: IntArray, x: FloatArray, n_a: IntArray, n_b: IntArray) -> FloatArray:
    """Change of Q for swapping seat i of A with seat j of B, shape (pairs, seats, seats); inf if empty."""
    x_a, x_b = x[in_a], x[in_b]
    gap = x_a.sum(axis=1) / n_a[:, None] - x_b.sum(axis=1) / n_b[:, None]
    along_a, along_b = np.einsum("psf,pf->ps", x_a, gap), np.einsum("psf,pf->ps", x_b, gap)
    square_a, square_b = (x_a**2).sum(axis=2), (x_b**2).sum(axis=2)
    distance = square_a[:, :, None] + square_b[:, None, :] - 2.0 * (x_a @ x_b.transpose(0, 2, 1))
    weight = 1.0 / n_a + 1.0 / n_b
    change = weight[:, None, None] * distance + 2.0 * (along_b[:, None, :] - along_a[:, :, None])
    empty = (in_a < 0)[:, :, None] | (in_b < 0)[:, None, :]
    return np.where(empty, np.inf, change)
