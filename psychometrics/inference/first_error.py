"""Theta of a group with the error that stands first: chosen here for every page, block, file and figure.

    design                      theta.pool, theta.ql     theta.prompt
    nested, 2 batches or more   se.batch                 se.jackknife_batch
    one batch                   se.participant           se.jackknife_participant
    crossed                     se.twoway                se.jackknife_twoway

Other people *and* other prompts (T2) leave nobody surer than other people alone (T1). Where chance makes an
interval of theta.pool or theta.ql narrower than that by people, the latter stands in its place: over all
prompts always, over a part of them below FEW_BATCHES batches. From there on intervals of parts by batch cover
what they should, and more than that with it (benchmarks/measurement/first_intervals.py). By batch it is for
any number of them: the two-way error is wrong as soon as batches differ in more than their prompts.
Of theta.prompt the error by people is no bound, as it is too wide itself (docs/measurement/uncertainty.md).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from formats.canonical import JsonValue
from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import ClusterError
from psychometrics.inference.estimates import FEW_BATCHES, Estimate, Reason, unknown
from psychometrics.inference.jackknife import prompt_jackknife, theta_prompt, twoway_jackknife
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import Fit, cluster_error, pooled_fit, quasi_fit, twoway_error
from psychometrics.irt.transform import Transform

ROUNDING = 1e-9  # of a half-width: of people each in a batch of their own both errors are the same
PROMPT = "theta.prompt"
FITS: Mapping[str, Callable[[Pairs], Fit]] = {"theta.pool": pooled_fit, "theta.ql": quasi_fit}
THETAS = (PROMPT, *FITS)


@dataclass(frozen=True)
class FirstError:
    """`at_least` names the error whose interval stands in place of a narrower one of this `name`."""

    name: str
    found: ClusterError
    at_least: str = ""

    @property
    def facts(self) -> dict[str, JsonValue]:
        """What a stored measure says of its interval."""
        at_least: dict[str, JsonValue] = {"at_least": self.at_least} if self.at_least else {}
        return {"error": self.name, **at_least}


@dataclass(frozen=True)
class GroupTheta:
    """A theta with its interval, or the reason why either is absent, and the error behind it."""

    estimate: Estimate
    error: FirstError


def group_theta(
    name: str, pairs: Pairs, transform: Transform, *, nested: bool, whole: bool = True
) -> GroupTheta:
    """One of THETAS of the pairs (n,); `nested` is the design of the study, `whole` not of a part of it."""
    if name == PROMPT:
        theta, error = theta_prompt(pairs, transform), first_prompt_error(pairs, transform, nested=nested)
    else:
        fit = FITS[name](pairs)
        theta, error = fit.theta, first_error(fit, pairs, nested=nested, whole=whole)
    return GroupTheta(_told(theta, error.found, pairs), error)


def by_people(name: str, pairs: Pairs, transform: Transform) -> tuple[Estimate, ClusterError]:
    """The same theta for other people on these prompts (T1)."""
    if name == PROMPT:
        theta, error = theta_prompt(pairs, transform), prompt_jackknife(pairs, pairs.person, transform)
    else:
        fit = FITS[name](pairs)
        theta, error = fit.theta, cluster_error(fit, pairs.person)
    return _told(theta, error, pairs), error


def _told(theta: float, error: ClusterError, pairs: Pairs) -> Estimate:
    return unbounded(pairs.a, pairs.b, pairs.p) or estimated(theta, error)


def estimated(theta: float, error: ClusterError) -> Estimate:
    """Theta with this error; without either, the reason of the error."""
    return unknown(error.reason or Reason.NOTHING_SCORED) if math.isnan(theta) else error.around(theta)


def first_cluster(pairs: Pairs, *, nested: bool) -> str:
    """What the first error takes as independent: "batch", "participant", or "twoway" both it and prompts."""
    if len(np.unique(pairs.batch)) < 2:
        return "participant"
    return "batch" if nested else "twoway"


def first_error(fit: Fit, pairs: Pairs, *, nested: bool, whole: bool = True) -> FirstError:
    """That of a fit to the pairs (n,), of theta.pool, theta_QL or a difference to either."""
    cluster, alone = first_cluster(pairs, nested=nested), cluster_error(fit, pairs.person)
    if cluster == "participant":
        return FirstError("se.participant", alone)
    error = cluster_error(fit, pairs.batch) if cluster == "batch" else twoway_error(fit, pairs)
    bounded = whole or len(np.unique(pairs.batch)) < FEW_BATCHES
    if bounded and error.half_width < alone.half_width * (1 - ROUNDING):
        return FirstError(f"se.{cluster}", alone, at_least="se.participant")
    return FirstError(f"se.{cluster}", error)


def first_prompt_error(pairs: Pairs, transform: Transform, *, nested: bool) -> FirstError:
    """That of theta.prompt of the pairs (n,), or of its difference to a model."""
    cluster = first_cluster(pairs, nested=nested)
    if cluster == "twoway":
        jackknife = twoway_jackknife(pairs, transform)
    else:
        groups = pairs.batch if cluster == "batch" else pairs.person
        jackknife = prompt_jackknife(pairs, groups, transform)
    return FirstError(f"se.jackknife_{cluster}", jackknife)
