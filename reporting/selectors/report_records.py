"""What the records of a study say about how it was done: for its report, and for nothing else."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, Q

from batches.models import BatchPrompt, Session
from psychometrics.data.cohort import PUBLIC
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.headlines import GroupNumbers
from scoring.models import Measurement, ModelConfiguration, ModelScore, ResultGroup, ResultSet
from scoring.selectors.headlines import headlines
from scoring.selectors.measures import measurement_of, scope_to_show
from scoring.selectors.runs import newest_study_results
from scoring.selectors.scopes import study_scopes
from screening.models import AnswerFlag, ParticipantFlag, Verdict
from screening.selectors.flow import StudyFlow, study_flow
from screening.selectors.kept import kept
from screening.selectors.participants import (
    ENDED,
    current_answer_flags,
    current_participant_flags,
    retained_participants,
    study_people,
    undecided_participants,
)
from studies.models import Amendment, Participant, Prompt, Study, StudyEvent
from studies.protocol.settings import ProtocolSettings
from studies.services.events import StudyEventKind


@dataclass(frozen=True)
class AskedFacts:
    """Prompts of the bank and those that the study asks; `modalities` counts those that numbers rest on.

    `nested`: no prompt is in two batches. `sizes` are the prompts of the smallest and the largest batch.
    """

    in_bank: int
    asked: int
    nested: bool
    sizes: tuple[int, int] | None
    private: int
    modalities: Mapping[str, int]


@dataclass(frozen=True)
class StartFacts:
    """The sessions that were started: the fewest and the most prompts and minutes people were given.

    `minutes` run from the start to the deadline then, before the study team moved it; `more_time` counts
    people who were given minutes beyond the protocol's or whose session was extended or reopened.
    """

    prompts: tuple[int, int]
    minutes: tuple[float, float]
    more_time: int


@dataclass(frozen=True)
class VettingFacts:
    """Decisions on people as the trail has them. `as_added`: approved in the same step as they were added.

    `turned_away` are the rejected who never started.
    """

    decided: int
    as_added: int
    turned_away: int


@dataclass(frozen=True)
class ScreeningFacts:
    """What screening left on record. Without a flag or a verdict nobody can say that it ever ran.

    `flagged_answers` counts answers to the prompts that numbers rest on.
    """

    on_record: bool
    flagged_answers: Mapping[str, int]
    flagged_people: Mapping[str, int]
    decided: int
    undecided: int


@dataclass(frozen=True)
class ModelFacts:
    """Models with scores on the study's item bank. `epochs`: the most responses to one prompt.

    `prompts` and `epochs` are of the prompts that numbers rest on.
    `compared` counts those whose difference from the cohort has a verdict in the measurement.
    """

    with_scores: int
    prompts: int
    epochs: int | None
    compared: int


@dataclass(frozen=True)
class Minutes:
    """Minutes from start to end of the sessions that ended; None where none did."""

    shortest: float
    middle: float
    longest: float


@dataclass(frozen=True)
class StudyRecords:
    """Everything a report's sentences are made from. `profiles` and `resources` count retained people.

    `first_hash` is the protocol's when it was frozen; amendments replace the study's own. `starts` is None
    before anybody started. `scope` says which answers the numbers rest on: where private prompts were asked,
    those to the public ones.
    """

    study: Study
    protocol: ProtocolSettings
    flow: StudyFlow
    amendments: tuple[Amendment, ...]
    first_hash: str
    starts: StartFacts | None
    vetting: VettingFacts
    screening: ScreeningFacts
    asked: AskedFacts
    models: ModelFacts
    profiles: Mapping[str, int]
    resources: Mapping[str, int]
    minutes: Minutes | None
    results: ResultSet | None
    average: GroupNumbers | None
    top: GroupNumbers | None
    measurement: Measurement | None
    scope: Scope

    def computed(self, block: Block) -> bool:
        """Whether this block of the measurement has numbers."""
        blocks = self.measurement.ended(self.scope) if self.measurement else {}
        return bool(blocks.get(block, {}).get("state") == "computed")


def study_records(study: Study) -> StudyRecords:
    """Count and collect, as everything is now; a fixed number of queries."""
    results = newest_study_results(study)
    scope = scope_to_show(results) if results else study_scopes(study)[-1]
    stored = headlines(results, Q(scope=scope))[0] if results else ()
    overall = {one.group: one for one in stored if not one.category}
    measurement = measurement_of(results) if results else None
    # Much is counted over every answer; nothing of it changes while no trail grows.
    of = f"{results.pk} {results.computed_at} {measurement and measurement.computed_at}" if results else ""
    counted = kept(
        f"records {scope} {of}",
        study,
        lambda: _counted(study, measurement, scope),
        also=(ModelScore, ModelConfiguration, Participant, Session),
    )
    return StudyRecords(
        study=study,
        protocol=study.protocol,
        amendments=tuple(study.amendments.order_by("number")),
        results=results,
        average=overall.get(ResultGroup.AVERAGE),
        top=overall.get(ResultGroup.TOP),
        measurement=measurement,
        scope=scope,
        **counted,
    )


def _counted(study: Study, measurement: Measurement | None, scope: Scope) -> dict[str, Any]:
    """What is counted of people, answers, prompts and models, by the names of `StudyRecords`."""
    retained = retained_participants(study)
    return {
        "flow": study_flow(study, public_only=scope == Scope.PUBLIC),
        "first_hash": first_hash(study),
        "starts": _start_facts(study),
        "vetting": _vetting_facts(study),
        "screening": _screening_facts(study, scope),
        "asked": _asked_facts(study, scope),
        "models": _model_facts(study, measurement, scope),
        "profiles": dict(retained.values_list("profile").annotate(n=Count("pk")).order_by("profile")),
        "resources": _resources_declared(study),
        "minutes": _minutes_taken(study),
    }


def first_hash(study: Study) -> str:
    """The protocol's hash as the trail has it from the day it was frozen; "" where it has none."""
    frozen = study.events.filter(kind=StudyEventKind.FROZEN).order_by("pk").first()
    return str(frozen.details.get("protocol_hash", "")) if frozen else ""


def _start_facts(study: Study) -> StartFacts | None:
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False)
    rows = list(
        sessions.annotate(prompts=Count("batch__places")).values_list(
            "prompts", "started_at", "deadline_at", "extended_seconds", "participant__extra_minutes"
        )
    )
    if not rows:
        return None
    prompts = [row[0] for row in rows]
    minutes = [((end - start).total_seconds() - later) / 60 for _prompts, start, end, later, _extra in rows]
    return StartFacts(
        prompts=(min(prompts), max(prompts)),
        minutes=(min(minutes), max(minutes)),
        more_time=sum(1 for row in rows if row[3] or row[4]),
    )


def _vetting_facts(study: Study) -> VettingFacts:
    kinds = (StudyEventKind.PARTICIPANT_ADDED, StudyEventKind.APPROVED, StudyEventKind.REJECTED)
    events = StudyEvent.objects.filter(study=study, participant__is_test=False, kind__in=kinds)
    added, approved, rejected = (
        set(events.filter(kind=kind).values_list("participant", "happened_at")) for kind in kinds
    )
    own = {person for person, _at in (approved - added) | rejected}
    away = study_people(study).filter(vetting_status="rejected", session=None).count()
    return VettingFacts(len(own), len({person for person, _at in approved & added} - own), away)


def _screening_facts(study: Study, scope: Scope) -> ScreeningFacts:
    person = Q(participant__study=study, participant__is_test=False)
    answer = Q(answer__session__participant__study=study, answer__session__participant__is_test=False)
    people = current_participant_flags().filter(person).order_by("reason").values_list("reason")
    answers = current_answer_flags().filter(answer).order_by("reason").values_list("reason")
    if scope == Scope.PUBLIC:
        answers = answers.filter(answer__prompt__split=PUBLIC)
    verdicts = Verdict.objects.filter(person)
    return ScreeningFacts(
        on_record=verdicts.exists()
        or ParticipantFlag.objects.filter(person).exists()
        or AnswerFlag.objects.filter(answer).exists(),
        flagged_answers=dict(answers.annotate(n=Count("answer", distinct=True))),
        flagged_people=dict(people.annotate(n=Count("participant", distinct=True))),
        decided=verdicts.order_by().values("participant").distinct().count(),
        undecided=undecided_participants(study).count(),
    )


def _asked_facts(study: Study, scope: Scope) -> AskedFacts:
    places = BatchPrompt.objects.filter(batch__plan__study=study)
    placed = places.values("prompt")
    sizes = list(places.order_by().values("batch").annotate(n=Count("pk")).values_list("n", flat=True))
    asked = Prompt.objects.filter(pk__in=placed)
    counting = asked.filter(split=PUBLIC) if scope == Scope.PUBLIC else asked
    modalities = counting.order_by("modality").values_list("modality").annotate(n=Count("pk"))
    return AskedFacts(
        in_bank=Prompt.objects.filter(version=study.bank_version).count(),
        asked=asked.count(),
        nested=places.count() == asked.count(),
        sizes=(min(sizes), max(sizes)) if sizes else None,
        private=asked.exclude(split=PUBLIC).count(),
        modalities=dict(modalities),
    )


def _model_facts(study: Study, measurement: Measurement | None, scope: Scope) -> ModelFacts:
    configurations = ModelConfiguration.objects.filter(item_bank=study.item_bank_id)
    placed = BatchPrompt.objects.filter(batch__plan__study=study).values("prompt__prompt_id")
    if scope == Scope.PUBLIC:
        placed = placed.filter(prompt__split=PUBLIC)
    scores = ModelScore.objects.filter(
        configuration__in=configurations.values("pk"), score__isnull=False, prompt_id__in=placed
    )
    found = scores.aggregate(
        models=Count("configuration", distinct=True), prompts=Count("prompt_id", distinct=True)
    )
    per_prompt = scores.order_by().values("configuration", "prompt_id").annotate(n=Count("pk"))
    most = per_prompt.aggregate(most=Max("n"))["most"]
    return ModelFacts(found["models"], found["prompts"], most, _models_compared(measurement, scope))


def _models_compared(measurement: Measurement | None, scope: Scope) -> int:
    """Models with scores whose difference has a verdict; what is only published has none."""
    if measurement is None:
        return 0
    rows = measurement.result_set.measures.filter(
        scope=scope, block=Block.MODELS, name__startswith="difference."
    )
    tested = rows.filter(details__has_key="verdict").exclude(details__has_key="published_only")
    return tested.order_by().values("subset").distinct().count()


def _resources_declared(study: Study) -> dict[str, int]:
    """How many retained people declared each category of resources; nobody is named by it."""
    sessions = Session.objects.filter(
        participant__in=retained_participants(study).values("pk"), resources_recorded_at__isnull=False
    )
    declared = sessions.values_list("resources", flat=True)
    found = Counter(category for categories in declared for category in categories)
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _minutes_taken(study: Study) -> Minutes | None:
    sessions = Session.objects.filter(
        participant__study=study, participant__is_test=False, status__in=ENDED, ended_at__isnull=False
    )
    times = [
        time.total_seconds() / 60 for time in sessions.values_list(F("ended_at") - F("started_at"), flat=True)
    ]
    return Minutes(min(times), median(times), max(times)) if times else None
