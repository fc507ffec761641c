"""How far a study has come: per batch and profile, and per prompt. Test people appear nowhere."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from batches.models import Batch, Session
from batches.rules.statuses import SessionStatus
from batches.selectors.answers import answers_to_score
from studies.models import Prompt, Study


@dataclass(frozen=True, slots=True)
class StatusCounts:
    """Sessions by status, as stored: a session past its deadline is active until the sweep has come by."""

    active: int = 0
    submitted: int = 0
    expired: int = 0
    withdrawn: int = 0

    def __add__(self, other: "StatusCounts") -> "StatusCounts":
        return StatusCounts(
            self.active + other.active,
            self.submitted + other.submitted,
            self.expired + other.expired,
            self.withdrawn + other.withdrawn,
        )

    @property
    def total(self) -> int:
        """All sessions, whatever became of them."""
        return self.active + self.submitted + self.expired + self.withdrawn


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One batch; `profiles` has an entry for every profile of the protocol, in its order."""

    number: int
    prompts: int
    profiles: Mapping[str, StatusCounts]

    @property
    def total(self) -> StatusCounts:
        """All profiles together."""
        return sum(self.profiles.values(), StatusCounts())


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """`places` is what the design asks for: batches x profiles x replicates.

    `prompt_coverage`: for every prompt of the bank, in its order, how many answers count by now.
    """

    places: int
    batches: tuple[BatchProgress, ...]
    profiles: Mapping[str, StatusCounts]
    prompt_coverage: Mapping[str, int]

    @property
    def total(self) -> StatusCounts:
        """All batches and profiles together."""
        return sum(self.profiles.values(), StatusCounts())


def study_progress(study: Study) -> StudyProgress:
    """Count the study's sessions and answers; a fixed number of queries for any size."""
    protocol = study.protocol
    slugs = [profile.slug for profile in protocol.profiles]
    counts = _session_counts(study)
    batches = tuple(
        BatchProgress(batch.number, prompts, {slug: counts.get((batch.pk, slug), NOBODY) for slug in slugs})
        for batch, prompts in _batches(study)
    )
    totals = {slug: sum((batch.profiles[slug] for batch in batches), NOBODY) for slug in slugs}
    return StudyProgress(
        places=len(batches) * len(slugs) * protocol.replicates_per_profile,
        batches=batches,
        profiles=totals,
        prompt_coverage=prompt_coverage(study),
    )


def prompt_coverage(study: Study) -> dict[str, int]:
    """How many answers to each prompt count by now."""
    answered = Counter(answers_to_score(study).values_list("prompt__prompt_id", flat=True))
    prompt_ids = Prompt.objects.filter(version=study.bank_version_id).values_list("prompt_id", flat=True)
    return {prompt_id: answered[prompt_id] for prompt_id in prompt_ids}


NOBODY = StatusCounts()


def _batches(study: Study) -> list[tuple[Batch, int]]:
    rows = Batch.objects.filter(plan__study=study).annotate(size=Count("places")).order_by("number")
    return [(batch, batch.size) for batch in rows]


def _session_counts(study: Study) -> dict[tuple[int, str], StatusCounts]:
    sessions = Session.objects.filter(batch__plan__study=study, participant__is_test=False)
    rows = sessions.values_list("batch", "participant__profile", "status").annotate(people=Count("pk"))
    found: dict[tuple[int, str], dict[str, int]] = {}
    for batch_id, profile, status, people in rows:
        found.setdefault((batch_id, profile), {})[SessionStatus(status).value] = people
    return {key: StatusCounts(**counts) for key, counts in found.items()}
