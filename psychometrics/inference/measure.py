"""A measure: one number under its name, with its interval or the reason for having none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from formats.canonical import JsonValue
from psychometrics.inference.estimates import Estimate, Reason, none_if_nan, unknown

AVERAGE, TOP, ALL = "average", "top", ""  # groups; the subset of everything
CATEGORY, TASK = "category:", "task:"  # what the subsets of such parts begin with
Name = tuple[str, str]  # group and subset


class Block(StrEnum):
    """What is measured together, stored together and shown on one page."""

    RESULTS = "results"
    COHORT = "cohort"
    TOP = "top"
    UNCERTAINTY = "uncertainty"
    MODELS = "models"
    MISSING = "missing"
    EXCLUSIONS = "exclusions"
    JUDGE = "judge"
    FIT = "fit"
    DIF = "dif"
    SLICES = "slices"
    BENCHMARK = "benchmark"
    AGREEMENT = "agreement"


class Scope(StrEnum):
    """Which answers numbers rest on: all that count, or, of a study with private prompts, the public ones.

    The second is what anybody can compute again from an export, which leaves answers to private prompts out.
    """

    ALL = "all"
    PUBLIC = "public"


class NotMeasurable(Exception):
    """The design or the data do not allow this block; `str()` is one sentence for the study lead.

    `template` and `facts` are its parts, so that a page can say it in the reader's language.
    """

    def __init__(self, template: str, **facts: JsonValue) -> None:
        self.template = template
        self.facts = facts
        super().__init__(template % facts if facts else template)


@dataclass(frozen=True)
class Measure:
    """One number. NaN is absent and has a reason; it is never zero.

    `group`: "average", "top" (selected on the outcome) or "". `subset`: the part of the data, such as
    "category:QR" or "profile:stem-phd"; "" for all. `n` counts observations (pairs, unless `details` say
    otherwise), `clusters` what the interval takes as independent. `participant` and `prompt_id` are set where
    the number is about one person or one prompt, so that an export can leave it out.
    """

    name: str
    estimate: Estimate
    group: str = ""
    subset: str = ""
    n: int | None = None
    people: int | None = None
    prompts: int | None = None
    clusters: int | None = None
    participant: str = ""
    prompt_id: str = ""
    details: Mapping[str, JsonValue] = field(default_factory=dict)

    def __repr__(self) -> str:
        about = ", ".join(filter(None, (self.group, self.subset, self.participant, self.prompt_id)))
        return f"{self.name}{f' ({about})' if about else ''}: {self.estimate!r}"


def plain(value: float) -> Estimate:
    """A number that has no sampling error of its own, such as a count or a share that is fully known."""
    return Estimate(value, math.nan, math.nan, math.nan)


def plain_or(value: float, why: Reason) -> Estimate:
    """The same; where the value is NaN, the reason."""
    return unknown(why) if math.isnan(value) else plain(float(value))


def stored_columns(measure: Measure) -> dict[str, Any]:
    """A measure as stored rows have it: None for what is absent, "" for no reason."""
    estimate = measure.estimate
    names = ("name", "group", "subset", "participant", "prompt_id", "n", "people", "prompts", "clusters")
    return {
        **{end: none_if_nan(getattr(estimate, end)) for end in ("value", "se", "low", "high")},
        **{name: getattr(measure, name) for name in names},
        "reason": estimate.reason or "",
        "details": dict(measure.details),
    }
