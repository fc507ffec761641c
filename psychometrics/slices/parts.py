"""Parts of a cohort, and theta of each of them.

    theta.prompt   logit of each prompt's mean score
    theta.pool     every pair is an observation
    theta.ql       quasi-likelihood

Each has the error that stands first in this design (`inference.first_error`), and beside it the one by
people, for other people on these prompts. Parts overlap; how they differ in difficulty is corrected only as
far as item parameters that were calibrated on models hold for people.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

import numpy as np

from psychometrics.data.cohort import Cohort, Mask
from psychometrics.data.places import AskedPrompt
from psychometrics.inference.disclosure import answers_of
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.first_error import THETAS, FirstError, by_people, group_theta

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

    `error` is of the `first` of them, None where nothing is told; `df` of the one by people.
    """

    name: str
    first: Estimate
    error: FirstError | None
    by_person: Estimate
    df: float


@dataclass(frozen=True)
class SliceResult:
    """A part with its counts and its thetas."""

    people: int
    prompts: int
    pairs: int
    thetas: tuple[SliceTheta, ...]


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
    for category in found[SliceKind.CATEGORY]:
        for other in found[SliceKind.PROFILE]:
            yield Slice(SliceKind.CELL, f"{category.value}/{other.value}", category.rows & other.rows)


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


def slice_result(cohort: Cohort, rows: Mask, why: Reason | None = None, *, nested: bool) -> SliceResult:
    """The thetas of the rows (n,) of a cohort; without them where they are too few, or because of `why`."""
    part = cohort.of_rows(rows)
    pairs = part.pairs
    people = len(np.unique(pairs.person))
    why = Reason.NOTHING_SCORED if not people else why or answers_of(cohort, cohort.is_pair).why_untold(rows)
    thetas = []
    for name in THETAS:
        if why is None:
            first = group_theta(name, pairs, part.transform, nested=nested, whole=False)
            by_person, error = by_people(name, pairs, part.transform)
            thetas.append(SliceTheta(name, first.estimate, first.error, by_person, error.df))
        else:
            thetas.append(SliceTheta(name, unknown(why), None, unknown(why), math.nan))
    return SliceResult(people, len(np.unique(pairs.prompt)), len(pairs), tuple(thetas))
