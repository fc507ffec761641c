"""How far a study has come: per batch and profile, and per prompt. Test people appear nowhere."""

import operator
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import TypeVar

from django.db.models import Count

from batches.models import Batch, BatchSlot, Session
from batches.rules.statuses import SessionStatus
from batches.selectors.sums import sessions_to_score, written_by_prompt
from studies.models import Prompt, Study
from studies.protocol.settings import ProtocolSettings


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """Sessions by status, as stored: a session past its deadline is active until the sweep has come by."""

    active: int = 0
    submitted: int = 0
    expired: int = 0
    withdrawn: int = 0

    def __add__(self, other: "StatusCounts") -> "StatusCounts":
        return StatusCounts(*map(operator.add, astuple(self), astuple(other)))

    @property
    def total(self) -> int:
        """All sessions, whatever became of them."""
        return sum(astuple(self))


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One batch; `profiles` and `arms` have an entry for each of the protocol, in its order.

    `places` and `arm_places` are how many people of each the design asks for.
    """

    number: int
    prompts: int
    profiles: Mapping[str, StatusCounts]
    places: Mapping[str, int]
    arms: Mapping[str, StatusCounts]
    arm_places: Mapping[str, int]

    @property
    def total(self) -> StatusCounts:
        """All profiles together."""
        return sum(self.profiles.values(), StatusCounts())


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """All batches, and totals over them.

    `prompt_coverage`: for every prompt of the bank, in its order, how many answers count by now.
    """

    batches: tuple[BatchProgress, ...]
    profiles: Mapping[str, StatusCounts]
    arms: Mapping[str, StatusCounts]
    prompt_coverage: Mapping[str, int]

    @property
    def total(self) -> StatusCounts:
        """All batches and profiles together."""
        return sum(self.profiles.values(), StatusCounts())

    @property
    def places(self) -> int:
        """How many people the design asks for."""
        return sum(sum(batch.places.values()) for batch in self.batches)


NOBODY = StatusCounts()


def study_progress(study: Study) -> StudyProgress:
    """Count the study's sessions and answers; a fixed number of queries for any size."""
    protocol = study.protocol
    slugs, arms = [profile.slug for profile in protocol.profiles], protocol.arm_slugs
    # Sessions of each batch, by profile and arm.
    sessions: dict[int, dict[Cell, StatusCounts]] = defaultdict(lambda: defaultdict(StatusCounts))
    counted = Session.objects.filter(batch__plan__study=study, participant__is_test=False)
    cells = counted.values_list("batch", "participant__profile", "arm", "status")
    for batch_id, profile, arm, status, people in cells.annotate(people=Count("pk")):
        sessions[batch_id][profile, arm] += StatusCounts(**{SessionStatus(status).value: people})
    slots = _slot_counts(study, protocol)
    rows = Batch.objects.filter(plan__study=study).annotate(size=Count("places")).order_by("number")
    batches = tuple(
        BatchProgress(
            number=batch.number,
            prompts=batch.size,
            profiles={slug: _sum(sessions[batch.pk], PROFILE, slug, NOBODY) for slug in slugs},
            places={slug: _sum(slots[batch.pk], PROFILE, slug, 0) for slug in slugs},
            arms={arm: _sum(sessions[batch.pk], ARM, arm, NOBODY) for arm in arms},
            arm_places={arm: _sum(slots[batch.pk], ARM, arm, 0) for arm in arms},
        )
        for batch in rows
    )
    answered = written_by_prompt(study, sessions_to_score(study))
    prompts = Prompt.objects.filter(version=study.bank_version_id).values_list("pk", "prompt_id")
    return StudyProgress(
        batches=batches,
        profiles={slug: sum((batch.profiles[slug] for batch in batches), NOBODY) for slug in slugs},
        arms={arm: sum((batch.arms[arm] for batch in batches), NOBODY) for arm in arms},
        prompt_coverage={prompt_id: answered[pk] for pk, prompt_id in prompts},
    )


Cell = tuple[str, str]
PROFILE, ARM = 0, 1
N = TypeVar("N", int, StatusCounts)


def _slot_counts(study: Study, protocol: ProtocolSettings) -> Mapping[int, Mapping[Cell, int]]:
    """Places of each batch, by profile and arm."""
    if not protocol.has_fixed_places:
        every = {(profile.slug, ""): protocol.replicates_per_profile for profile in protocol.profiles}
        return defaultdict(lambda: every)
    rows = BatchSlot.objects.filter(batch__plan__study=study).order_by()
    batches: dict[int, dict[Cell, int]] = defaultdict(dict)
    for batch_id, profile, arm, places in rows.values_list("batch", "profile", "arm").annotate(n=Count("pk")):
        batches[batch_id][profile, arm] = places
    return batches


def _sum(cells: Mapping[Cell, N], which: int, name: str, nothing: N) -> N:
    return sum((number for cell, number in cells.items() if cell[which] == name), nothing)
