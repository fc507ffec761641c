"""Every standard error that a design allows, for theta.pool, theta.prompt and theta.ql of one group.

A study is nested where every prompt occurs in one batch only. Then people and prompts both lie within
batches, and the error by batch serves "prompts like these"; the two-way error is a companion. Where prompts
occur in several batches, batches are not independent of each other: the two-way error serves, the one by
batch is refused. theta.prompt is not linear in the answers: its errors are jackknifes, and in
nested studies the one by batch serves both targets.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ClusterError, Codes, cluster_codes
from psychometrics.inference.estimates import FEW_CLUSTERS, Estimate, Reason
from psychometrics.inference.first_error import estimated, first_cluster, first_error
from psychometrics.inference.jackknife import (
    jackknife_error,
    prompt_information,
    prompt_jackknife,
    quasi_thetas_without,
    theta_prompt,
    twoway_jackknife,
)
from psychometrics.inference.mixed_model import Components, components_of, mixed_error
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import (
    Fit,
    Target,
    analytic_estimate,
    cluster_error,
    participant_bootstrap,
    pooled_fit,
    quasi_fit,
    twoway_error,
)
from psychometrics.irt.transform import Transform

TARGETS = {  # all others are for other prompts, too
    "se.analytic": Target.PAPER,
    "se.participant": Target.THIS_BANK,
    "se.participant_boot": Target.THIS_BANK,
    "se.jackknife_participant": Target.THIS_BANK,
}


@dataclass(frozen=True)
class ErrorRow:
    """One theta with one of its errors. `clusters` is None where the error takes every pair as independent.

    `df` are the degrees of freedom of a t interval, None for normal and percentile intervals. `serves`: this
    is the error to use for its target in this design. `at_least` names the error whose interval stands in its
    place, as its own would be narrower than chance alone.
    """

    theta: str
    error: str
    estimate: Estimate
    clusters: int | None
    serves: bool
    df: float | None = None
    at_least: str = ""

    @property
    def target(self) -> Target:
        """What varies if the study were done again."""
        return TARGETS.get(self.error, Target.SUCH_PROMPTS)

    @property
    def few_clusters(self) -> bool:
        return self.clusters is not None and self.clusters < FEW_CLUSTERS


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of one group's pairs; `nested` is the design of the whole study."""

    pairs: Pairs
    transform: Transform
    sigma_hat: float
    nested: bool
    resamples: int
    rng: np.random.Generator

    @cached_property
    def components(self) -> Components:
        return components_of(self.pairs)

    def rows(self) -> Iterator[ErrorRow]:
        bound = unbounded(self.pairs.a, self.pairs.b, self.pairs.p)
        for row in chain(self.of_pool(), self.of_prompt(), self.of_ql()):
            yield replace(row, estimate=bound) if bound else row

    def of_pool(self) -> Iterator[ErrorRow]:
        name, fit, pairs = "theta.pool", pooled_fit(self.pairs), self.pairs
        yield from self._linear(name, fit)
        drawn = participant_bootstrap(pairs, self.resamples, self.rng)
        yield ErrorRow(name, "se.participant_boot", drawn, len(np.unique(pairs.person)), serves=False)
        yield _row(name, "se.mixed", fit.theta, mixed_error(pairs, self.components), serves=False)
        yield self._analytic(name, fit.theta, fit.bread)

    def of_prompt(self) -> Iterator[ErrorRow]:
        name, pairs, nested = "theta.prompt", self.pairs, self.nested
        theta, first = theta_prompt(pairs, self.transform), first_cluster(pairs, nested=nested)
        by_person = prompt_jackknife(pairs, pairs.person, self.transform)
        yield _row(name, "se.jackknife_participant", theta, by_person, serves=first != "batch")
        if nested:
            by_batch = prompt_jackknife(pairs, pairs.batch, self.transform)
            yield _row(name, "se.jackknife_batch", theta, by_batch, serves=first == "batch")
        else:
            both = twoway_jackknife(pairs, self.transform)
            yield _row(name, "se.jackknife_twoway", theta, both, serves=True)
        yield self._analytic(name, theta, prompt_information(pairs))

    def of_ql(self) -> Iterator[ErrorRow]:
        name, fit, pairs = "theta.ql", quasi_fit(self.pairs), self.pairs
        yield from self._linear(name, fit)
        by_person = self._quasi_jackknife(fit, pairs.person)
        yield _row(name, "se.jackknife_participant", fit.theta, by_person, serves=False)
        if self.nested:
            by_batch = self._quasi_jackknife(fit, pairs.batch)
            yield _row(name, "se.jackknife_batch", fit.theta, by_batch, serves=False)

    def _linear(self, name: str, fit: Fit) -> Iterator[ErrorRow]:
        """By people, by batch and two-way; the one that stands first is first."""
        first = first_error(fit, self.pairs, nested=self.nested)
        by_batch = cluster_error(fit, self.pairs.batch)
        if not self.nested and fit.reason is None:
            by_batch = replace(by_batch, se=np.nan, reason=Reason.OTHER_DESIGN)
        found = {
            "se.participant": cluster_error(fit, self.pairs.person),
            "se.batch": by_batch,
            "se.twoway": twoway_error(fit, self.pairs),
        }
        for error in sorted(found, key=lambda error: error != first.name):
            row = _row(name, error, fit.theta, found[error], serves=error in (first.name, "se.participant"))
            yield replace(row, at_least=first.at_least) if error == first.name else row

    def _quasi_jackknife(self, fit: Fit, groups: Codes) -> ClusterError:
        codes, number = cluster_codes(groups)
        if fit.reason is not None:
            return ClusterError(np.nan, len(self.pairs), number, fit.reason)
        return jackknife_error(quasi_thetas_without(self.pairs, codes, number), len(self.pairs))

    def _analytic(self, name: str, theta: float, information: float) -> ErrorRow:
        estimate = analytic_estimate(theta, information, self.sigma_hat)
        return ErrorRow(name, "se.analytic", estimate, None, serves=True)


def _row(name: str, error: str, theta: float, found: ClusterError, *, serves: bool) -> ErrorRow:
    return ErrorRow(name, error, estimated(theta, found), found.clusters, serves, found.df)
