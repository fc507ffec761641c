"""What the records of a study say about how it was done: for its report, and for nothing else."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import (
    BooleanField,
    CharField,
    Count,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from batches.models import Batch, BatchPrompt, Session
from psychometrics.data.places import PUBLIC
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.headlines import GroupNumbers, Lead, LeadReason
from scoring.models import Measurement, ModelScore, ResultGroup, ResultSet
from scoring.selectors.export_results import may_be_exported
from scoring.selectors.headlines import Headlines, headlines_among, results_lead
from scoring.selectors.leaderboards import models_of
from scoring.selectors.measures import (
    BlockMeasures,
    blocks_of,
    measure_rows,
    measurement_of,
    scope_to_show,
)
from scoring.selectors.runs import newest_study_results
from scoring.selectors.scopes import study_scopes
from scoring.selectors.task_tables import tasks_are_items
from screening.models import AnswerFlag, ParticipantFlag, Verdict
from screening.selectors.flow import StudyFlow, study_flow
from screening.selectors.participants import (
    ENDED,
    current_answer_flags,
    current_participant_flags,
    retained_participants,
    study_people,
    undecided_participants,
)
from studies.models import Amendment, Prompt, Study, StudyEvent
from studies.protocol.settings import ProtocolSettings
from studies.selectors.private_questions import of_public
from studies.selectors.studies import made_after_results
from studies.services.events import StudyEventKind

# What sentences are made from.
READ = (Block.COHORT, Block.TOP, Block.MODELS, Block.EXCLUSIONS, Block.BENCHMARK)
# What tells of single prompts, people or tasks: of it only that of the public prompts leaves the site.
IN_DETAIL = frozenset({Block.BENCHMARK, Block.DIF, Block.FIT, Block.JUDGE})


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
    tasks: frozenset[str]


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
    """

    with_scores: int
    prompts: int
    epochs: int | None


@dataclass(frozen=True)
class Minutes:
    """Minutes from start to end of the sessions that ended; None where none did."""

    shortest: float
    middle: float
    longest: float


@dataclass(frozen=True)
class StudyRecords:
    """Everything a report's sentences are made from. `profiles` and `resources` count retained people.

    `first_hash` is the protocol's when it was frozen; amendments replace the study's own, `late_amendments`
    are those that were made when results could have been seen. `starts` is None
    before anybody started. `lead` says which answers the estimates and most blocks rest on, `scope` which
    what is counted and what is told IN_DETAIL does: where private prompts were asked, those to the public
    ones. `blocks` are those of the measurement that were read, `leaving` the keys of the rows in
    them that may leave the site.
    `compared` counts the models whose difference from the cohort has a verdict in it. `holds_tasks`: the
    items of the bank are tasks.
    """

    study: Study
    protocol: ProtocolSettings
    flow: StudyFlow
    amendments: tuple[Amendment, ...]
    late_amendments: tuple[Amendment, ...]
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
    lead: Lead
    scope: Scope
    headlines: Headlines | None
    blocks: Mapping[Block, BlockMeasures]
    leaving: frozenset[int]
    compared: int
    holds_tasks: bool

    @property
    def leading(self) -> Scope:
        """Where no number may be told, the scope of the public prompts, which has none."""
        return self.lead.scope or self.scope

    def scope_of(self, block: Block) -> Scope:
        """Which answers the numbers of a block rest on here."""
        return self.scope if block in IN_DETAIL else self.leading

    def computed(self, block: Block) -> bool:
        """Whether this block of the measurement has numbers."""
        blocks = self.measurement.ended(self.scope_of(block)) if self.measurement else {}
        return bool(blocks.get(block, {}).get("state") == "computed")


def study_records(study: Study, *, every_block: bool = False) -> StudyRecords:
    """Count and collect, as everything is now; a fixed number of queries. Of the measurement the blocks that
    sentences are made from, or `every_block`.
    """
    results = newest_study_results(study)
    if results is not None:
        results.run.study = study  # so that nothing of it is read again
    scope = scope_to_show(results) if results else study_scopes(study)[-1]
    lead = results_lead(results) if results else Lead(scope, LeadReason.ONE_SCOPE)
    measurement = measurement_of(results) if results else None
    ended = map(Block, measurement.ended(scope)) if measurement and every_block else ()
    wanted = dict.fromkeys((*READ, *ended)) if measurement else {}
    leading = lead.scope or scope
    blocks_by_scope: dict[Scope, list[Block]] = {leading: []}  # the leading one first
    for block in wanted:
        blocks_by_scope.setdefault(scope if block in IN_DETAIL else leading, []).append(block)
    stored: Headlines | None = None
    leaving: set[int] = set()
    blocks: dict[Block, BlockMeasures] = {}
    if results is not None:
        leaves = ExpressionWrapper(may_be_exported(study), output_field=BooleanField())
        for of, some in blocks_by_scope.items():
            rows: list[Any] = list(measure_rows(results, some, of).annotate(leaves=leaves))
            if of != scope:  # over private prompts as well: beside the public ones not all of it may be told
                rows = [row for row in rows if row.leaves]
            stored = stored or headlines_among(results, rows)
            blocks |= blocks_of(measurement, some, of, rows) if measurement else {}
            leaving |= {row.pk for row in rows if row.leaves}
    amendments = tuple(study.amendments.order_by("number"))
    overall = {row.group: row for row in stored.groups if not row.category} if stored else {}
    first_hash, vetting, screening = _from_trails(study, scope)
    asked = _asked_facts(study, scope)
    return StudyRecords(
        study=study,
        protocol=study.protocol,
        amendments=amendments,
        late_amendments=tuple(made_after_results(study, amendments)),
        flow=study_flow(study, public_only=scope == Scope.PUBLIC),
        first_hash=first_hash,
        vetting=vetting,
        screening=screening,
        asked=asked,
        models=_model_facts(study, scope),
        **_session_facts(study),
        results=results,
        average=overall.get(ResultGroup.AVERAGE),
        top=overall.get(ResultGroup.TOP),
        measurement=measurement,
        lead=lead,
        scope=scope,
        headlines=stored,
        blocks=blocks,
        leaving=frozenset(leaving),
        compared=_models_compared(blocks.get(Block.MODELS)),
        holds_tasks=tasks_are_items(study, asked.tasks),
    )


def _session_facts(study: Study) -> dict[str, Any]:
    """What is counted of sessions: nobody is read for it. Three queries."""
    retained = ExpressionWrapper(
        Q(participant__in=retained_participants(study).values("pk")), output_field=BooleanField()
    )
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False).order_by()
    given = ExpressionWrapper(F("deadline_at") - F("started_at"), DurationField())
    alike = list(
        sessions.annotate(retained=retained, extra=F("participant__extra_minutes"))
        .values("batch", "extended_seconds", "extra", "participant__profile", "retained")
        .annotate(number=Count("pk"), shortest=Min(given), longest=Max(given))
        .order_by("participant__profile")
    )
    declared = sessions.annotate(kept=retained).filter(kept=True, resources_recorded_at__isnull=False)
    resources: Counter[str] = Counter()
    for categories, number in declared.values_list("resources").annotate(number=Count("pk")):
        resources.update(dict.fromkeys(categories, number))
    profiles: Counter[str] = Counter()
    for group in alike:
        profiles[group["participant__profile"]] += group["number"] if group["retained"] else 0
    ended = sessions.filter(status__in=ENDED, ended_at__isnull=False)
    took = ended.annotate(took=ExpressionWrapper(F("ended_at") - F("started_at"), DurationField()))
    minutes = [duration.total_seconds() / 60 for duration in took.values_list("took", flat=True)]
    return {
        "starts": _start_facts(study, alike),
        "profiles": dict(+profiles),
        "resources": dict(sorted(resources.items(), key=lambda pair: (-pair[1], pair[0]))),
        "minutes": Minutes(min(minutes), median(minutes), max(minutes)) if minutes else None,
    }


def _start_facts(study: Study, alike: Sequence[Mapping[str, Any]]) -> StartFacts | None:
    if not alike:
        return None
    sizes = dict(Batch.objects.filter(plan__study=study).values_list("pk").annotate(number=Count("places")))
    prompts = [sizes[group["batch"]] for group in alike]
    minutes = [
        (group[which].total_seconds() - group["extended_seconds"]) / 60
        for group in alike
        for which in ("shortest", "longest")
    ]
    return StartFacts(
        prompts=(min(prompts), max(prompts)),
        minutes=(min(minutes), max(minutes)),
        more_time=sum(group["number"] for group in alike if group["extended_seconds"] or group["extra"]),
    )


def _from_trails(study: Study, scope: Scope) -> tuple[str, VettingFacts, ScreeningFacts]:
    """The first hash, the decisions on people, and what screening left: one query."""
    person = Q(participant__study=study, participant__is_test=False)
    answer = Q(answer__session__participant__study=study, answer__session__participant__is_test=False)
    people, answers = current_participant_flags().filter(person), current_answer_flags().filter(answer)
    if scope == Scope.PUBLIC:
        answers = answers.filter(of_public("answer__prompt"))
    of_person, of_answer = Count("participant", distinct=True), Count("answer", distinct=True)
    away = study_people(study).filter(vetting_status="rejected", session=None)
    frozen = StudyEvent.objects.filter(study=study, kind=StudyEventKind.FROZEN)
    first_hash = Coalesce(KT("details__protocol_hash"), Value(""), output_field=CharField())
    parts = [
        _union_part("people", people, of_person, reason=F("reason")),
        _union_part("answers", answers, of_answer, reason=F("reason")),
        _union_part("verdicts", Verdict.objects.filter(person), of_person),
        _union_part("undecided", undecided_participants(study), Count("pk")),
        _union_part("people ever", ParticipantFlag.objects.filter(person), Count("pk")),
        _union_part("away", away, Count("pk")),
        *_vetting_parts(study),
        _union_part("frozen", frozen, Min("pk"), reason=first_hash),
    ]
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    for of, reason, number in parts[0].union(*parts[1:], all=True).order_by("why"):
        numbers[of][reason] = number
    facts = ScreeningFacts(
        on_record=any(any(numbers[of].values()) for of in ("verdicts", "people ever", "answers"))
        or AnswerFlag.objects.filter(answer).exists(),
        flagged_answers=numbers["answers"],
        flagged_people=numbers["people"],
        decided=numbers["verdicts"].get("", 0),
        undecided=numbers["undecided"].get("", 0),
    )
    vetting = VettingFacts(*(numbers[of].get("", 0) for of in ("decided", "as added", "away")))
    return min(numbers["frozen"], key=numbers["frozen"].__getitem__, default=""), vetting, facts


def _vetting_parts(study: Study) -> Iterator[QuerySet[Any]]:
    """People about whom somebody decided, and those who were approved in the step that added them alone."""
    events = StudyEvent.objects.filter(study=study, participant__is_test=False)
    same_step = StudyEvent.objects.filter(
        kind=StudyEventKind.PARTICIPANT_ADDED,
        participant=OuterRef("participant"),
        happened_at=OuterRef("happened_at"),
    )
    approved = Q(kind=StudyEventKind.APPROVED)
    decided = events.filter(Q(kind=StudyEventKind.REJECTED) | approved & ~Exists(same_step))
    as_added = events.filter(approved, Exists(same_step)).exclude(
        participant__in=decided.order_by().values("participant")
    )
    people = Count("participant", distinct=True)
    yield _union_part("decided", decided, people)
    yield _union_part("as added", as_added, people)


def _union_part(of: str, rows: QuerySet[Any], number: Count | Min, reason: Any = None) -> QuerySet[Any]:
    """The number of these rows by reason, as one part of a union."""
    why = Value("", output_field=CharField()) if reason is None else reason
    named = rows.order_by().annotate(of=Value(of, output_field=CharField()), why=why)
    counted: QuerySet[Any] = named.values("of", "why").annotate(number=number)
    return counted.values_list("of", "why", "number")


def _asked_facts(study: Study, scope: Scope) -> AskedFacts:
    """One query: the bank's prompts and those in batches, by what they have in common."""
    places = BatchPrompt.objects.filter(batch__plan__study=study).order_by()
    by_size = places.values("batch").annotate(n=Count("pk")).values("n")
    is_asked = Q(pk__in=places.values("prompt"))
    in_bank = Q(version=study.bank_version_id)
    rows = (
        Prompt.objects.filter(in_bank | is_asked)
        .values("modality", "split", "task")
        .annotate(
            in_bank=Count("pk", filter=in_bank),
            asked=Count("pk", filter=is_asked),
            smallest=Subquery(by_size.order_by("n")[:1]),
            largest=Subquery(by_size.order_by("-n")[:1]),
            all_places=Subquery(
                places.annotate(all=Value(1)).values("all").annotate(n=Count("pk")).values("n")
            ),
        )
    )
    prompts = list(rows.order_by("modality"))
    placed = [row for row in prompts if row["asked"]]
    modalities: Counter[str] = Counter()
    for row in placed:
        if scope != Scope.PUBLIC or row["split"] == PUBLIC:
            modalities[row["modality"]] += row["asked"]
    number = sum(row["asked"] for row in placed)
    return AskedFacts(
        in_bank=sum(row["in_bank"] for row in prompts),
        asked=number,
        nested=((prompts[0]["all_places"] if prompts else None) or 0) == number,
        sizes=(prompts[0]["smallest"], prompts[0]["largest"]) if placed else None,
        private=sum(row["asked"] for row in placed if row["split"] != PUBLIC),
        modalities=dict(modalities),
        tasks=frozenset(row["task"] for row in placed if row["task"]),
    )


def _model_facts(study: Study, scope: Scope) -> ModelFacts:
    placed = BatchPrompt.objects.filter(batch__plan__study=study).values("prompt__prompt_id")
    if scope == Scope.PUBLIC:
        placed = placed.filter(of_public("prompt"))
    scores = ModelScore.objects.filter(
        configuration__in=models_of(study).values("pk"), score__isnull=False, prompt_id__in=placed
    )
    # Each score is read once: over all models of a bank they are many.
    counts = (
        scores.order_by()
        .values("configuration", "prompt_id")
        .annotate(n=Count("pk"))
        .aggregate(
            models=Count("configuration", distinct=True),
            prompts=Count("prompt_id", distinct=True),
            most=Max("n"),
        )
    )
    return ModelFacts(counts["models"], counts["prompts"], counts["most"])


def _models_compared(models: BlockMeasures | None) -> int:
    """Models with scores whose difference has a verdict; what is only published has none."""
    rows = models.rows if models else ()
    return len(
        {
            row.subset
            for row in rows
            if row.name.startswith("difference.")
            and "verdict" in row.details
            and "published_only" not in row.details
        }
    )
