"""What sums and differences of numbers that are told would tell, where parts overlap.

Parts are sums over answers. Answers that are in the same parts always stand together; of these cells,

    v = sum_i c_i part_i      is told for every c: the row space of the parts (I, cells)

and of too few is told where some v is zero outside the cells of one person, of one prompt or, of private
prompts alone as public scores are exported, of one or two of these. With orthonormal rows Q of that space, a
v within cells S is there where the largest singular value of Q_S = Q[:, S] is 1. Of two prompts j and k
without a cell in common that needs |Q_j' Q_k|^2 >= (1 - |Q_j Q_j'|) (1 - |Q_k Q_k'|) (Frobenius).
"""

from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations
from typing import TypeVar

import numpy as np

from psychometrics.data.cohort import Codes, Mask
from psychometrics.inference.clusters import Array
from psychometrics.inference.disclosure import Answers

CLOSE = 1e-7
N = TypeVar("N", bound=Hashable)
Cells = dict[frozenset[int], list[int]]


def telling_too_few(answers: Answers, parts: Mapping[N, Mask]) -> set[N]:
    """Parts, rows (n,) that are counted, a sum of which is of too few; those of the first that is found."""
    if len(parts) < 2:
        return set()
    names, rows = list(parts), np.array(list(parts.values()))
    for seen, codes, number in (
        (answers.counted & answers.private, answers.prompt, 2),
        (answers.counted, answers.person, 1),
        (answers.counted, answers.prompt, 1),
    ):
        if rows[:, seen].any():
            used = _used(rows[:, seen], codes[seen], number)
            if used.any():
                return {name for name, is_used in zip(names, used, strict=True) if is_used}
    return set()


def _used(rows: Mask, codes: Codes, number: int) -> Mask:
    """Which parts (I,) are in a sum that is of at most so many, one or two, of `codes` alone."""
    bits = np.ascontiguousarray(np.packbits(rows, axis=0).T)
    _, first, cell = np.unique(bits.view(f"S{bits.shape[1]}").ravel(), return_index=True, return_inverse=True)
    cells = rows[:, first].astype(np.float64)
    # The cells all of whose answers are of one of `codes`, or of two where `number` is 2, by these.
    lowest, highest = (np.full(int(cell.max()) + 1, start) for start in (codes.max(), codes.min()))
    np.minimum.at(lowest, cell, codes)
    np.maximum.at(highest, cell, codes)
    others = np.bincount(cell, (codes != lowest[cell]) & (codes != highest[cell]), minlength=len(lowest))
    few: Cells = {}
    for place in np.flatnonzero((others == 0) & ((lowest == highest) | (number > 1))).tolist():
        few.setdefault(frozenset((int(lowest[place]), int(highest[place]))), []).append(place)
    if not few:
        return np.zeros(len(rows), dtype=bool)
    left, sizes, right = np.linalg.svd(cells, full_matrices=False)
    kept = sizes > CLOSE * sizes.max()
    left, sizes, right = left[:, kept], sizes[kept], right[kept]
    for alone in _possible(right, few, number):
        directions, spread, _ = np.linalg.svd(right[:, alone], full_matrices=False)
        if spread[0] > 1 - CLOSE:
            used: Mask = np.abs(left @ (directions[:, 0] / sizes)) > CLOSE
            return used
    return np.zeros(len(rows), dtype=bool)


def _possible(q: Array, few: Cells, number: int) -> Iterator[list[int]]:
    """Sets of cells that may hold a sum by themselves."""
    single = {members: own for members, own in few.items() if len(members) == 1}
    yield from (own for own in single.values() if (q[:, own] ** 2).sum() > 1 - CLOSE)
    if number == 1:
        return
    pairs = {members for members in few if len(members) == 2}
    if single:
        squares = np.array([q[:, own] @ q[:, own].T for own in single.values()])
        flat = squares.reshape(len(squares), -1)
        products = flat @ flat.T
        left = np.maximum(1 - np.sqrt(np.diag(products)), 0)
        near = np.argwhere(np.triu(products > np.outer(left, left) - CLOSE, 1))
        names = list(single)
        pairs |= {names[first] | names[other] for first, other in near}
    for both in pairs:
        parts = [both, *map(frozenset, combinations(both, 1))]
        yield [place for part in parts for place in few.get(part, ())]
