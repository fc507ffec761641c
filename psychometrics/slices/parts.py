"""Parts of a cohort, and theta of each of them.

    theta.prompt   logit of each prompt's mean score         error: delete-one jackknife (`jackknife`)
    theta.pool     every pair is an observation              error: CR2 (`standard_errors`)
    theta.ql       quasi-likelihood                          error: sandwich, likewise

Errors by people are for other people on these prompts; errors by batches for other people and other prompts,
where each prompt is in one batch. Parts overlap; how they differ in difficulty is corrected only as far as
item parameters that were calibrated on models hold for people.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

import numpy as np

from psychometrics.data.cohort import AskedPrompt, Cohort, Mask, Pairs
from psychometrics.inference.clusters import Codes, cluster_codes
from psychometrics.inference.disclosure import answers_of
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.jackknife import jackknife_error, prompt_thetas_without, theta_prompt
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import cluster_error, pooled_fit, quasi_fit
from psychometrics.irt.transform import Transform

THETAS = ("theta.prompt", "theta.pool", "theta.ql")
LABEL_PROMPTS = 30  # the paper, too, shows labels with at least 30 prompts only (GIM paper, figure 18)
MAX_VALUE_CHARACTERS = 150


class SliceKind(StrEnum):
    """What a cohort is split by."""

    CATEGORY = "category"
    SUBCATEGORY = "subcategory"
    LABEL = "label"
    MODALITY = "modality"
    SPLIT = "split"
    PROFILE = "profile"
    ARM = "arm"
    CELL = "cell"  # a category within a profile
    TASK = "task"  # of a benchmark; its theta is a block of its own


@dataclass(frozen=True, eq=False)
class Slice:
    """The rows (n,) of a part, such as the category QR. A cell's value is `category/profile`."""

    kind: SliceKind
    value: str
    rows: Mask

    @property
    def subset(self) -> str:
        """The name of the part in stored rows; a very long value is cut and told apart by its hash."""
        if len(self.value) <= MAX_VALUE_CHARACTERS:
            return f"{self.kind}:{self.value}"
        digest = sha256(self.value.encode()).hexdigest()[:8]
        return f"{self.kind}:{self.value[:MAX_VALUE_CHARACTERS]}… {digest}"


@dataclass(frozen=True)
class SliceTheta:
    """One estimator on one part. Both estimates have the same value; they differ in what is independent.

    `df` is of the error by people.
    """

    name: str
    by_person: Estimate
    by_batch: Estimate
    df: float


@dataclass(frozen=True)
class SliceResult:
    """A part with its counts and its thetas; `bound` stands for all of them where every score is 1, or 0."""

    people: int
    batches: int
    prompts: int
    pairs: int
    thetas: tuple[SliceTheta, ...]
    bound: Estimate | None = None


PROMPT_VALUES: dict[SliceKind, Callable[[AskedPrompt], tuple[str, ...]]] = {
    SliceKind.CATEGORY: lambda prompt: (prompt.category,),
    SliceKind.SUBCATEGORY: lambda prompt: (prompt.subcategory,),
    SliceKind.LABEL: lambda prompt: prompt.labels,
    SliceKind.MODALITY: lambda prompt: (prompt.modality,),
    SliceKind.SPLIT: lambda prompt: (prompt.split,),
}
MIN_FOR = {SliceKind.LABEL: LABEL_PROMPTS}


def slices_of(cohort: Cohort) -> Iterator[Slice]:
    """Every part of a cohort that has a name; of labels, those of at least 30 prompts."""
    found: dict[SliceKind, list[Slice]] = {}
    for kind, values_of in PROMPT_VALUES.items():
        members = _prompts_by_value(cohort.prompts, values_of)
        found[kind] = [
            Slice(kind, value, prompts[cohort.prompt])
            for value, prompts in members.items()
            if prompts.sum() >= MIN_FOR.get(kind, 1)
        ]
    found[SliceKind.PROFILE] = _people_slices(
        cohort, SliceKind.PROFILE, [person.profile for person in cohort.people]
    )
    found[SliceKind.ARM] = arm_slices(cohort)
    for slices in found.values():
        yield from slices
    for one in found[SliceKind.CATEGORY]:
        for other in found[SliceKind.PROFILE]:
            yield Slice(SliceKind.CELL, f"{one.value}/{other.value}", one.rows & other.rows)


def arm_slices(cohort: Cohort) -> list[Slice]:
    """The arms that a study compares, by name; none where it compares none."""
    return _people_slices(cohort, SliceKind.ARM, [person.arm for person in cohort.people])


def _people_slices(cohort: Cohort, kind: SliceKind, names: Sequence[str]) -> list[Slice]:
    """The rows of each value that has a name, from the values of people (P,)."""
    values = np.array(names, dtype=np.str_)[cohort.person]
    return [Slice(kind, str(value), values == value) for value in np.unique(values) if value]


def rare_labels(prompts: Sequence[AskedPrompt]) -> int:
    """How many labels have fewer than 30 prompts and are no part."""
    members = _prompts_by_value(prompts, PROMPT_VALUES[SliceKind.LABEL])
    return sum(int(of_label.sum()) < LABEL_PROMPTS for of_label in members.values())


def _prompts_by_value(
    prompts: Sequence[AskedPrompt], values_of: Callable[[AskedPrompt], tuple[str, ...]]
) -> dict[str, Mask]:
    """The prompts (J,) of each value that has a name, by name."""
    members: dict[str, Mask] = {}
    for place, prompt in enumerate(prompts):
        for value in filter(None, values_of(prompt)):
            members.setdefault(value, np.zeros(len(prompts), dtype=bool))[place] = True
    return dict(sorted(members.items()))


def slice_result(cohort: Cohort, rows: Mask, why: Reason | None = None) -> SliceResult:
    """The thetas of the rows (n,) of a cohort; without them where they are too few, or because of `why`."""
    part = cohort.of_rows(rows)
    pairs = part.pairs
    (by_person, people), (by_batch, batches) = cluster_codes(pairs.person), cluster_codes(pairs.batch)
    why = Reason.NOTHING_SCORED if not people else why or answers_of(cohort, cohort.is_pair).why_untold(rows)
    if why is not None:
        found = dict.fromkeys(THETAS, [(unknown(why), math.nan)] * 2)
    else:
        found = thetas_by(pairs, part.transform, (by_person, people), (by_batch, batches))
    thetas = tuple(SliceTheta(name, own, of_batch, df) for name, ((own, df), (of_batch, _)) in found.items())
    bound = None if why else unbounded(pairs.a, pairs.b, pairs.p)
    return SliceResult(people, batches, len(np.unique(pairs.prompt)), len(pairs), thetas, bound)


def thetas_by(
    pairs: Pairs, transform: Transform, *clusters: tuple[Codes, int]
) -> dict[str, list[tuple[Estimate, float]]]:
    """The three estimators by name, each by each of `clusters` (numbers and their count), with their df."""
    jackknifes = (
        jackknife_error(prompt_thetas_without(pairs, codes, number, transform), len(pairs))
        for codes, number in clusters
    )
    theta = theta_prompt(pairs, transform)
    found = {"theta.prompt": [(error.around(theta), error.df) for error in jackknifes]}
    for name, fit in (("theta.pool", pooled_fit(pairs)), ("theta.ql", quasi_fit(pairs))):
        errors = [cluster_error(fit, codes) for codes, _ in clusters]
        found[name] = [
            (unknown(fit.reason) if fit.reason else error.around(fit.theta), error.df) for error in errors
        ]
    return found
