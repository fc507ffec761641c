"""top.paper: the best K people by raw mean, scored on the answers they were chosen by (GIM paper, section 6).

    raw mean_i = mean of the scores of i's answers;   theta = sum a z / sum a^2 over the pairs of the best K

Chosen on the outcome: part of the result is luck that would not come again, and no interval that ignores the
choice is one for the ability of these people.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from psychometrics.data.cohort import Cohort, Mask, Pairs
from psychometrics.inference.clusters import Array, Codes
from psychometrics.irt.quasi_likelihood import thetas_ql
from psychometrics.top.rules import is_top

DECIMALS = 12  # scores that differ by less are equal but for rounding: the code decides


def ranked(scores: Array, codes: Sequence[str]) -> NDArray[np.int64]:
    """Places (I,) from the highest score to the lowest, ties by code."""
    return np.lexsort((np.array(codes, dtype=np.str_), -np.round(scores, DECIMALS)))


def code_ranks(codes: Sequence[str]) -> Codes:
    """The rank (I,) of each code in their order: numbers sort faster than texts."""
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[np.argsort(np.array(codes, dtype=np.str_), kind="stable")] = np.arange(len(codes))
    return ranks


def raw_means(person: Codes, p: Array, people: int) -> Array:
    """Mean score of each of `people` people from scores p (n,), NaN without a score.

    Scores on prompts without item parameters count, as in the published rule. Sums are rounded once (`fsum`):
    equal scores in another order tie exactly, here as in the stored results, and the code decides.
    """
    scored = ~np.isnan(p)
    order = np.argsort(person[scored], kind="stable")
    scores = p[scored][order].tolist()
    answers = np.bincount(person[scored], minlength=people).tolist()
    means = np.full(people, np.nan)
    first = 0
    for place, number in enumerate(answers):
        if number:
            means[place] = math.fsum(scores[first : first + number]) / number
        first += number
    return means


def by_raw_mean(cohort: Cohort) -> Codes:
    """The numbers of the people who have a score, the highest mean first; ties by code."""
    means = raw_means(cohort.person, cohort.p, len(cohort.people))
    return by_mean(means, [person.code for person in cohort.people])


def by_mean(means: Array, codes: Sequence[str]) -> Codes:
    """The numbers of the people (P,) who have a mean, the highest first; ties by code."""
    present = np.flatnonzero(~np.isnan(means))
    names = np.array(codes, dtype=np.str_)[present]
    return present[np.lexsort((names, -means[present]))].astype(np.int64)


def first_of(order: Codes, size: int, people: int) -> Mask:
    """The first `size` of an order of people as a mask (people,); nobody where they are no Top."""
    chosen = np.zeros(people, dtype=bool)
    chosen[order[:size]] = is_top(size, len(order))
    return chosen


def top_paper_curve(pairs: Pairs, order: Codes, sizes: Sequence[int]) -> Array:
    """top.paper for each size (k,) at once; NaN where the best so many have no pair."""
    number = int(max(pairs.person.max(initial=-1), order.max(initial=-1))) + 1
    above = np.bincount(pairs.person, pairs.a * pairs.z, minlength=number)[order].cumsum()
    below = np.bincount(pairs.person, pairs.a**2, minlength=number)[order].cumsum()
    last = np.array(sizes, dtype=np.int64) - 1
    theta: Array = np.divide(above[last], below[last], out=np.full(len(last), np.nan), where=below[last] > 0)
    return theta


def top_quasi_curve(pairs: Pairs, order: Codes, sizes: Sequence[int]) -> Array:
    """theta_QL of the people of `top_paper_curve` (k,); NaN where there is no finite one."""
    rank = np.full(int(max(pairs.person.max(initial=-1), order.max(initial=-1))) + 1, len(order))
    rank[order] = np.arange(len(order))
    inside = [np.flatnonzero(rank[pairs.person] < size) for size in sizes]
    groups = np.repeat(np.arange(len(sizes)), [len(rows) for rows in inside])
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *inside])
    return thetas_ql(pairs.a[rows], pairs.b[rows], pairs.p[rows], groups, len(sizes))
