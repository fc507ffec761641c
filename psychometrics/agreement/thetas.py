"""What another judge does to theta, on the same item bank. Plain values in and out.

Each judge's Average and Top are as in its own results: from everything it scored, Top chosen by its own
scores. Cluster errors, of the pooled pairs and of theta_QL, are by participant. A change takes the same
answers of the same people, those of the first judge's group, under both judges: choice and missing scores
play no part. What is too few has no number (`psychometrics.inference.disclosure`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from psychometrics.agreement.influence import quasi_change
from psychometrics.agreement.scores import PanelScores
from psychometrics.agreement.statistics import RankedPairs
from psychometrics.agreement.stored import Values
from psychometrics.agreement.two_raters import DECIMALS
from psychometrics.agreement.values import cluster_values
from psychometrics.data.cohort import Mask, Pairs
from psychometrics.inference.clusters import Array, ClusterEstimate, cluster_codes, linear_estimate
from psychometrics.inference.disclosure import Answers, Whole, withheld
from psychometrics.inference.estimates import Reason, none_if_nan, unknown
from psychometrics.inference.quasi_estimate import quasi_estimate, unbounded
from psychometrics.irt.ability import ability_of, group_ability
from psychometrics.irt.bank import ItemBank
from psychometrics.top.ranking import by_mean, first_of, raw_means

Places = NDArray[np.int64]


class Comparison:
    """Abilities under two runs of a panel, given by their columns."""

    def __init__(self, scores: PanelScores, columns: tuple[int, int], items: ItemBank, top_size: int) -> None:
        self._codes = sorted(set(scores.participants))
        self._people, self._private = scores.people, ~scores.is_public
        self._items, self._top_size = items, top_size
        places = [items.index.get(prompt_id, -1) for prompt_id in scores.prompt_ids]
        self._places: Places = np.array(places, dtype=np.int64)
        self._p = [scores.answer_scores[:, column] for column in columns]

    def groups(self) -> list[dict[str, Any]]:
        """Average and Top under both judges; Top only where both have one."""
        everybody = [np.ones(len(self._codes), dtype=bool)] * 2
        # Ties go by code; nobody is Top where fewer than its size have a score.
        number, size = len(self._codes), self._top_size
        means = [by_mean(raw_means(self._people, p, number), self._codes) for p in self._p]
        best = [first_of(mean, size, number) for mean in means]
        untold = []  # of Average and Top what must not be told, under each judge
        for p, top in zip(self._p, best, strict=True):
            answers = Answers(self._people, self._places, self._private, ~np.isnan(p) & (self._places >= 0))
            everything = np.ones(len(p), dtype=bool)
            of_top = Whole("average", everything, {"top": top[self._people]})
            untold.append(withheld(answers, [Whole("", everything, {"average": everything}), of_top]))
        return [self._change("average", everybody, untold), self._change("top", best, untold)]

    def people(self) -> Values:
        """What the judge does to single thetas: how far they scatter, and whether their order stays.

        Of the people who have both, on the answers both scored.
        """
        x, y = (np.where(np.isnan(other), np.nan, own) for own, other in (self._p, self._p[::-1]))
        known = np.flatnonzero(self._places >= 0)
        ordered = known[np.argsort(self._people[known], kind="stable")]
        starts = np.unique(self._people[ordered], return_index=True)[1]
        rows = np.split(ordered, starts[1:])  # of each person
        of_x, of_y = (
            np.array(
                [ability_of(p[own], self._places[own], self._items).theta for own in rows], dtype=np.float64
            )
            for p in (x, y)
        )
        both = ~(np.isnan(of_x) | np.isnan(of_y))
        of_x, of_y = of_x[both], of_y[both]
        people, once = len(of_x), np.ones(len(of_x))
        ranks_x, ranks_y = (
            np.unique(thetas.round(DECIMALS), return_inverse=True)[1] for thetas in (of_x, of_y)
        )
        rho = RankedPairs(ranks_x, ranks_y, np.arange(people), once).correlation(once)
        return {
            "sd_of_people": float((of_y - of_x).std(ddof=1)) if people > 1 else None,
            "spearman_of_people": none_if_nan(rho),
            "people": people,
        }

    def _change(
        self, group: str, members: Sequence[Mask], untold: Sequence[Mapping[str, Reason]]
    ) -> dict[str, Any]:
        (of_x, of_y), why = members, [found.get(group) for found in untold]
        rows = self._rows_of(of_x)
        difference = self._logits(self._p[1][rows]) - self._logits(self._p[0][rows])
        a, b = self._items.a[self._places[rows]], self._items.b[self._places[rows]]
        change = self._by_logits(a, difference, self._people[rows])
        if any(unbounded(a, b, p[rows]) for p in self._p) and not self._items.is_logistic:
            change = replace(change, estimate=unknown(Reason.NO_FINITE_SOLUTION))
        # theta_QL, on those of the rows that both scored.
        p, other = (own[rows] for own in self._p)
        both = ~(np.isnan(p) | np.isnan(other))
        rows, p, other = rows[both], p[both], other[both]
        people, once = cluster_codes(self._people[rows])[0], np.zeros(len(rows), dtype=np.int64)
        shared = Pairs(people, self._places[rows], once, p, a[both], b[both], self._logits(p))
        either = why[0] or why[1]
        return {
            "group": group,
            "x": self._of_group(self._p[0], of_x, why[0]),
            "y": self._of_group(self._p[1], of_y, why[1]),
            "change": _values_unless(either, change),
            "quasi_change": _values_unless(either, quasi_change(shared, other)),
            "shared": int((of_x & of_y).sum()),
        }

    def _of_group(self, p: Array, people: Mask, untold: Reason | None) -> Values:
        """One group under one judge: pooled and quasi, theta_QL, have cluster errors."""
        rows = self._rows_of(people)
        places = self._places[rows]
        a, b = self._items.a[places], self._items.b[places]
        pooled = self._by_logits(a, self._logits(p[rows]) + a * b, self._people[rows])
        theta = group_ability(places, p[rows], self._items).theta
        if (bound := unbounded(a, b, p[rows])) and not self._items.is_logistic:
            pooled, theta = replace(pooled, estimate=bound), math.nan
        return {
            "participants": int(people.sum()),
            "theta": None if untold else none_if_nan(theta),
            "pooled": _values_unless(untold, pooled),
            "quasi": _values_unless(untold, quasi_estimate(a, b, p[rows], self._people[rows])),
        }

    def _by_logits(self, a: Array, z: Array, people: Places) -> ClusterEstimate:
        """Of pooled pairs; on a logistic bank, whose scale no logit of a score is on, only the reason."""
        estimate = linear_estimate(a, z, people)
        return (
            replace(estimate, estimate=unknown(Reason.LOGISTIC_BANK)) if self._items.is_logistic else estimate
        )

    def _rows_of(self, people: Mask) -> Places:
        """The answers of these people to prompts of the item bank."""
        return np.flatnonzero(people[self._people] & (self._places >= 0))

    def _logits(self, p: Array) -> Array:
        return self._items.transform.to_logit(p)


def _values_unless(untold: Reason | None, estimate: ClusterEstimate) -> Values:
    return cluster_values(replace(estimate, estimate=unknown(untold)) if untold else estimate)
