"""What another judge does to theta, on the same item bank. Plain values in and out.

Each judge's Average and Top are as in its own results: from everything it scored, Top chosen by its own
scores. Cluster errors, of the pooled pairs and of theta_QL, are by participant. A change takes the same
answers of the same people, those of the first judge's group, under both judges: choice and missing scores
play no part.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from psychometrics.agreement.influence_quasi import quasi_change
from psychometrics.agreement.paired import DECIMALS
from psychometrics.agreement.ranks import RankedPairs
from psychometrics.agreement.scores import PanelScores
from psychometrics.agreement.values import Values, cluster_values, sd_of
from psychometrics.agreement.warnings import ThetaChange
from psychometrics.data.answers import ResultAnswer
from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import Array, ClusterEstimate, cluster_codes, linear_estimate
from psychometrics.inference.estimates import Reason, none_if_nan, unknown
from psychometrics.inference.quasi_estimate import quasi_estimate
from psychometrics.irt.ability import ability_of, group_ability
from psychometrics.irt.bank import ItemBank
from psychometrics.top.group import top_group

AVERAGE, TOP = GROUPS = ("average", "top")
Places = NDArray[np.int64]


@dataclass(frozen=True)
class GroupTheta:
    """One group under one judge: `pooled` and `quasi`, theta_QL, have cluster errors, NaN with a reason."""

    people: frozenset[str]
    theta: float
    pooled: ClusterEstimate
    quasi: ClusterEstimate

    def values(self) -> Values:
        return {
            "participants": len(self.people),
            "theta": none_if_nan(self.theta),
            "pooled": cluster_values(self.pooled),
            "quasi": cluster_values(self.quasi),
        }


@dataclass(frozen=True)
class GroupChange:
    """One group under two judges."""

    group: str
    x: GroupTheta
    y: GroupTheta
    change: ClusterEstimate
    quasi_change: ClusterEstimate

    def values(self) -> Values:
        return {
            "group": self.group,
            "x": self.x.values(),
            "y": self.y.values(),
            "change": cluster_values(self.change),
            "quasi_change": cluster_values(self.quasi_change),
            "shared": len(self.x.people & self.y.people),
        }

    def checks(self) -> Iterator[ThetaChange]:
        """Both ways to aggregate are held against the error of the pooled pairs under the first judge.

        On a logistic bank theta_QL against its own.
        """
        if self.x.pooled.estimate.reason == Reason.LOGISTIC_BANK:
            x, y = self.x.quasi.estimate, self.y.quasi.estimate
            yield ThetaChange(self.group, x.value, y.value, x.se)
            return
        error = self.x.pooled.estimate.se
        pooled = (self.x.pooled.estimate.value, self.y.pooled.estimate.value)
        yield ThetaChange(self.group, self.x.theta, self.y.theta, error)
        yield ThetaChange(f"{self.group}_pool", *pooled, error)


def theta_values(x: Array, y: Array) -> Values:
    """What the judge does to single people's thetas: how far they scatter, and whether their order stays."""
    return {
        "sd_of_people": none_if_nan(sd_of(y - x)),
        "spearman_of_people": none_if_nan(rank_correlation(x, y)),
        "people": len(x),
    }


def rank_correlation(x: Array, y: Array) -> float:
    """Spearman's rho, each person once; NaN below three people or where one side does not vary."""
    ranks = [np.unique(thetas.round(DECIMALS), return_inverse=True)[1] for thetas in (x, y)]
    once = np.ones(len(x))
    return RankedPairs(ranks[0], ranks[1], np.arange(len(x)), once).correlation(once)


class Comparison:
    """Abilities under two runs of a panel, given by their columns."""

    def __init__(self, scores: PanelScores, columns: tuple[int, int], items: ItemBank, top_size: int) -> None:
        self._people = np.array(scores.participants, dtype=str)
        self._names, self._prompt_ids = scores.participants, scores.prompt_ids
        self._items, self._top_size = items, top_size
        places = [items.index.get(prompt_id, -1) for prompt_id in scores.prompt_ids]
        self._places: Places = np.array(places, dtype=np.int64)
        self._p = [scores.answer_scores[:, column] for column in columns]

    def groups(self) -> list[GroupChange]:
        """Average and Top; Top only where both judges have one."""
        people = [self._groups_by(p) for p in self._p]
        return [self._change(group, people[0][group], people[1][group]) for group in GROUPS]

    def thetas_of_people(self) -> tuple[Array, Array]:
        """Under either judge, on the answers both scored, of the people who have both."""
        x, y = (np.where(np.isnan(other), np.nan, own) for own, other in (self._p, self._p[::-1]))
        rows = self._rows_by_person()
        of_x, of_y = (np.array([self._theta(p, own) for own in rows], dtype=np.float64) for p in (x, y))
        both = ~(np.isnan(of_x) | np.isnan(of_y))
        return of_x[both], of_y[both]

    def _groups_by(self, p: Array) -> dict[str, frozenset[str]]:
        answers = [
            ResultAnswer(name, prompt_id, "", 0, True, none_if_nan(score))
            for name, prompt_id, score in zip(self._names, self._prompt_ids, p.tolist(), strict=True)
        ]
        return {
            AVERAGE: frozenset(self._names),
            TOP: top_group(answers, self._top_size),
        }

    def _change(self, group: str, of_x: frozenset[str], of_y: frozenset[str]) -> GroupChange:
        x, y = self._of_group(self._p[0], of_x), self._of_group(self._p[1], of_y)
        rows = self._rows_of(of_x)
        difference = self._logits(self._p[1][rows]) - self._logits(self._p[0][rows])
        change = self._by_logits(self._items.a[self._places[rows]], difference, self._people[rows])
        return GroupChange(group, x, y, change, self._quasi_change(rows))

    def _quasi_change(self, rows: Places) -> ClusterEstimate:
        """Of theta_QL, on those of the rows that both scored."""
        p, other = (own[rows] for own in self._p)
        both = ~(np.isnan(p) | np.isnan(other))
        rows, places = rows[both], self._places[rows[both]]
        people, once = cluster_codes(self._people[rows])[0], np.zeros(len(rows), dtype=np.int64)
        a, b, y = self._items.a[places], self._items.b[places], self._logits(p[both])
        return quasi_change(Pairs(people, places, once, p[both], a, b, y), other[both])

    def _of_group(self, p: Array, people: frozenset[str]) -> GroupTheta:
        rows = self._rows_of(people)
        places = self._places[rows]
        a, b = self._items.a[places], self._items.b[places]
        pooled = self._by_logits(a, self._logits(p[rows]) + a * b, self._people[rows])
        quasi = quasi_estimate(a, b, p[rows], self._people[rows])
        return GroupTheta(people, group_ability(places, p[rows], self._items).theta, pooled, quasi)

    def _by_logits(self, a: Array, z: Array, people: NDArray[np.str_]) -> ClusterEstimate:
        """Of pooled pairs; on a logistic bank, whose scale no logit of a score is on, only the reason."""
        found = linear_estimate(a, z, people)
        return replace(found, estimate=unknown(Reason.LOGISTIC_BANK)) if self._items.is_logistic else found

    def _rows_of(self, people: frozenset[str]) -> Places:
        """The answers of these people to prompts of the item bank."""
        return np.flatnonzero(np.isin(self._people, sorted(people)) & (self._places >= 0))

    def _rows_by_person(self) -> Sequence[Places]:
        known = np.flatnonzero(self._places >= 0)
        ordered = known[np.argsort(self._people[known], kind="stable")]
        starts = np.unique(self._people[ordered], return_index=True)[1]
        return np.split(ordered, starts[1:])

    def _theta(self, p: Array, rows: Places) -> float:
        return ability_of(p[rows], self._places[rows], self._items).theta

    def _logits(self, p: Array) -> Array:
        return self._items.transform.to_logit(p)
