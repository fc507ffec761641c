"""Whether a response matrix can be calibrated, and with discriminations or not; refusals say the remedy.

Fewer than 8 responses leave an item's parameters open whatever the solver does, fewer than 20 configurations
its discrimination (recovery of log a falls from r = .78 with 20 models to .51 with 6). Blocks of the matrix
that share neither configurations nor items have no common scale; blocks that share next to nothing hang by a
thread, and every comparison between them rests on it.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from psychometrics.calibration.responses import SparseLogits
from psychometrics.data.response_matrix import ResponseMatrix

MIN_RESPONSES = 8
MIN_FOR_DISCRIMINATION = 20
MIN_ITEMS = 2
MIN_LINKS = 3  # items that two blocks of configurations share, for more than a thread
MAX_COMPARED = 2_000  # configurations whose shared items are counted in pairs
NAMED = 20


def refusals(matrix: ResponseMatrix) -> Iterator[str]:
    """What keeps a matrix (I configurations, J items) from being calibrated, a sentence each."""
    items, counts = matrix.items, matrix.item_counts
    if len(items) < MIN_ITEMS:
        yield f"there is only one item; a bank needs at least {MIN_ITEMS}"
        return
    few = np.flatnonzero(counts < MIN_RESPONSES)
    if len(few):
        yield (
            f"items with fewer than {MIN_RESPONSES} responses, {len(few):,} of {len(items):,}: "
            f"{named([f'{items[j]} ({counts[j]})' for j in few[:NAMED]], len(few))}; "
            "collect more responses or leave these columns out"
        )
        return
    number, labels = components(matrix.p)
    if number > 1:
        parts = np.unique(labels)[:NAMED]
        firsts = [matrix.configurations[int(np.argmax(labels == part))] for part in parts]
        yield (
            f"the matrix falls into {number} parts that share neither configurations nor items (one with "
            f"{named(firsts, number)}), so they have no common scale; calibrate each part alone, or let some "
            "configurations answer items of several parts"
        )
    elif not np.ptp(matrix.p.data):
        yield "all scores are the same, so nothing tells configurations apart; add some that differ"


def components(y: SparseLogits) -> tuple[int, NDArray[np.int32]]:
    """Connected parts of the graph of configurations and items, and the part of each configuration (I,)."""
    persons, items = y.shape
    if _joined_at_once(y):  # as nearly every matrix is; the graph of a large one takes twice its memory
        return 1, np.zeros(persons, dtype=np.int32)
    indptr = np.concatenate([y.indptr, np.full(items, y.indptr[-1], dtype=y.indptr.dtype)])
    size = persons + items
    graph = sp.csr_array(
        (np.ones(len(y.indices), dtype=np.int8), y.indices + y.indices.dtype.type(persons), indptr),
        shape=(size, size),
    )
    number, labels = connected_components(graph, directed=False)
    return int(number), labels[:persons]


def _joined_at_once(y: SparseLogits) -> bool:
    """Whether some configuration shares an item with every other, and these together have all items."""
    starts, ends = y.indptr[:-1], y.indptr[1:]
    if not (ends > starts).all():
        return False
    most = int(np.argmax(ends - starts))
    held = np.zeros(y.shape[1], dtype=bool)
    held[y.indices[starts[most] : ends[most]]] = True
    if not np.logical_or.reduceat(held[y.indices], starts).all():
        return False
    held[y.indices] = True
    return bool(held.all())


def threads(matrix: ResponseMatrix) -> Iterator[str]:
    """Blocks of configurations that share fewer than MIN_LINKS items with all others, or have too few
    responses to these on one side.
    """
    persons = len(matrix.configurations)
    if persons > MAX_COMPARED:
        yield f"whether blocks hang by a thread is not looked at above {MAX_COMPARED:,} configurations"
        return
    seen = sp.csr_array(
        (np.ones(len(matrix.p.indices), dtype=np.int32), matrix.p.indices, matrix.p.indptr),
        shape=matrix.p.shape,
    )
    shared = (seen @ seen.T).toarray()
    number, labels = connected_components((shared >= MIN_LINKS).astype(np.int8), directed=False)
    if number == 1:
        return
    total: NDArray[np.int64] = np.asarray(seen.sum(axis=0)).ravel()
    for part in range(number):
        block = labels == part
        inside = np.asarray(seen[block].sum(axis=0)).ravel()
        linking = np.flatnonzero((inside > 0) & (inside < total))
        responses = int(min(inside[linking].sum(), (total - inside)[linking].sum()))
        # Of two blocks that share one thread the smaller one is named, of equal ones the first.
        smaller = 2 * block.sum() < persons + (part == 0)
        if smaller and (len(linking) < MIN_LINKS or responses < MIN_RESPONSES):
            names = [matrix.configurations[i] for i in np.flatnonzero(block)]
            items = [matrix.items[j] for j in linking]
            yield (
                f"{len(names)} of {persons} configurations ({named(names, len(names))}) hang on the others "
                f"by {named(items, len(items))} alone (responses on one side: {responses}): abilities and "
                "items on the two sides are compared by nothing else; let more "
                "configurations answer items of both"
            )


def named(names: Sequence[str], number: int) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:NAMED])
    return shown if number <= NAMED else f"{shown} and {number - NAMED} more"
