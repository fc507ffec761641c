"""Results as export rows, and what the manifest says about study and runs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal

from django.db.models import Count, Sum

from batches.models import BatchPrompt
from judging.models import JudgingRun, ScoringRun
from psychometrics.data.categories import category_of
from psychometrics.inference.measure import Scope
from psychometrics.measures.methods import METHODS
from psychometrics.slices.parts import hidden_parts, too_few_private
from scoring.export.manifest import (
    AmendmentEntry,
    ItemBankEntry,
    JudgingRunEntry,
    MeasurementEntry,
    PlannedJudge,
    RunEntry,
    StudyEntry,
)
from scoring.export.rows.results import EstimateRow, MetricRow, TaskRow
from scoring.models import Estimate, ResultGroup, ResultSet
from scoring.selectors.measures import measurement_of
from scoring.selectors.run_notes import exported_notes
from scoring.selectors.runs import newest_results, runs_of
from scoring.selectors.scopes import scope_to_leave
from studies.models import Study

ESTIMATE_COLUMNS = [name for name in EstimateRow.model_fields if name != "run"]
HIDDEN_COLUMNS = (
    "theta", "se", "ci_low", "ci_high", "theta_pool", "se_pool", "ci_low_pool", "ci_high_pool",
    "reason_pool", "interval", "clusters", "se_twoway", "ci_low_twoway", "ci_high_twoway",
    "theta_ql", "se_ql", "ci_low_ql", "ci_high_ql", "reason_ql", "raw_mean",
)  # fmt: skip


# Results of the present design are brought up before an export, or it is refused.
SUPERSEDED = (
    "Scored under an earlier design of the study. The results are as they were computed then: they follow no "
    "later answer, withdrawal, score or verdict."
)


def numbered_results(study: Study) -> Iterator[tuple[int, ResultSet]]:
    """The newest results of every run that has any."""
    for number, run in enumerate(runs_of(study), start=1):
        results = newest_results(run)
        if results is not None:
            yield number, results


def estimate_rows(study: Study) -> Iterator[EstimateRow]:
    """The newest estimates of every run; without their numbers where these would tell of a private prompt."""
    for number, results in numbered_results(study):
        rows = list(results.estimates.filter(scope__in=scopes_to_leave(results)).order_by("pk"))
        hidden = hidden_estimates(rows)
        for row in rows:
            values = {name: getattr(row, name) for name in ESTIMATE_COLUMNS}
            values |= {name: getattr(row, name) or None for name in ("reason_pool", "reason_ql", "interval")}
            if row.pk in hidden:
                values |= dict.fromkeys(HIDDEN_COLUMNS)
            yield EstimateRow(run=number, **values)


def hidden_estimates(rows: Iterable[Estimate]) -> set[int]:
    """Categories of a group that rest on one or two private prompts, or that would give away such a one."""
    hidden: set[int] = set()
    for group in ResultGroup:
        of_group = [row for row in rows if (row.scope, row.group) == (Scope.ALL, group)]
        whole = sum(row.private_prompts for row in of_group if not row.category)
        private = {row.category: row.private_prompts for row in of_group if row.category}
        names = hidden_parts(private, whole - sum(private.values()))
        hidden |= {row.pk for row in of_group if row.category in names}
    return hidden


def scopes_to_leave(results: ResultSet) -> list[Scope]:
    """What of these results may leave the site: not what rests on one or two private prompts with a score.

    Some numbers rest on every scored answer, others on prompts in the item bank alone: the one less the other
    is what those that the bank lacks came to, so these must not be one or two, either.
    """
    everybody = results.estimates.filter(scope=Scope.ALL, category="")
    counts = everybody.values_list("private_scored", "private_prompts")
    few = any(
        too_few_private(number)
        for scored, in_bank in counts
        for number in (scored, in_bank, scored - in_bank)
    )
    return [Scope.PUBLIC] if few else [Scope.ALL, Scope.PUBLIC]


def task_rows(study: Study) -> Iterator[TaskRow]:
    """The newest accuracies per task of every run: a task may have one private prompt only."""
    scope = scope_to_leave(study)
    for number, results in numbered_results(study):
        for row in results.task_accuracies.filter(scope=scope).order_by("pk"):
            yield TaskRow(
                run=number,
                scope=row.scope,
                group=row.group,
                task=row.task,
                responses=row.responses,
                accuracy=row.accuracy,
            )


def metric_rows(study: Study) -> Iterator[MetricRow]:
    """The newest summaries of the tasks of every run."""
    scope = scope_to_leave(study)
    for number, results in numbered_results(study):
        for row in results.metrics.filter(scope=scope).order_by("pk"):
            yield MetricRow(run=number, scope=row.scope, group=row.group, name=row.name, value=row.value)


def run_entries(study: Study) -> Iterator[RunEntry]:
    """Every run, oldest first."""
    for number, run in enumerate(runs_of(study).select_related("config"), start=1):
        yield run_entry(number, run)


def measurement_entry(results: ResultSet) -> MeasurementEntry | None:
    found = measurement_of(results)
    if found is None:
        return None
    return MeasurementEntry(
        seed=found.seed, resamples=found.resamples, blocks=found.blocks, public_blocks=found.public_blocks,
        computed_at=found.computed_at, methods=METHODS,
    )  # fmt: skip


def run_entry(number: int, run: ScoringRun) -> RunEntry:
    results = newest_results(run)
    return RunEntry(
        number=number,
        judge_name=run.config.slug if run.config else None,
        replicate=run.replicate,
        base_url=run.config.base_url if run.config else None,
        judge_kind=run.judge_kind,
        judge=run.judge,
        judge_sha256=run.judge_sha256,
        protocol_hash=run.protocol_hash,
        design_hash=run.design_hash,
        started_at=run.started_at,
        finished_at=run.finished_at,
        results_computed_at=results.computed_at if results else None,
        inputs_sha256=results.sha256_to_leave if results else None,
        flow=results.flow if results else None,
        measurement=measurement_entry(results) if results else None,
        notes=(*exported_notes(run), *([SUPERSEDED] if run.design_hash != run.study.design_hash else [])),
    )


def judging_run_entries(study: Study) -> Iterator[JudgingRunEntry]:
    """Every judging run, oldest first, with what its calls came to."""
    counted = JudgingRun.objects.filter(study=study).annotate(
        made=Count("calls"), priced=Count("calls__cost"), spent=Sum("calls__cost")
    )
    for number, run in enumerate(counted.order_by("pk"), start=1):
        yield JudgingRunEntry(
            number=number,
            purpose=run.purpose,
            state=run.state,
            pause_reason=run.pause_reason or None,
            judges=tuple(
                PlannedJudge(
                    judge=one["judge"],
                    replicate=one["replicate"],
                    criteria_per_call=one.get("criteria_per_call", 1),
                )
                for one in run.estimate
            ),
            planned_rows=run.planned,
            calls=run.made,
            calls_of_unknown_cost=run.made - run.priced,
            cost=run.spent or Decimal(0),
            budget=run.budget,
            plan_sha256=run.plan_sha256,
            started_at=run.started_at,
            resumed_at=run.resumed_at,
            ended_at=run.ended_at,
        )


def item_bank_entry(study: Study) -> ItemBankEntry | None:
    """What coverage and analytic errors are computed with; None without an item bank."""
    bank = study.item_bank
    if bank is None:
        return None
    placed = BatchPrompt.objects.filter(batch__plan__study=study)
    of_prompt = dict(placed.values_list("prompt__prompt_id", "prompt__category"))
    items = bank.items.values_list("prompt_id", "subcategory")
    categories = [category_of(subcategory, of_prompt.get(name, "")) for name, subcategory in items]
    return ItemBankEntry(
        squeeze_scale=bank.squeeze_scale,
        squeeze_offset=bank.squeeze_offset,
        sigma_hat=bank.sigma_hat,
        response_model=bank.response_model,
        items=len(categories),
        items_by_category=dict(sorted(Counter(categories).items())),
    )


def study_entry(study: Study) -> StudyEntry:
    """The study and everything its protocol hash stands for."""
    version = study.bank_version
    return StudyEntry(
        slug=study.slug,
        name=study.name,
        status=study.status,
        simulated=study.is_simulated,
        opens_at=study.opens_at,
        closes_at=study.closes_at,
        frozen_at=study.frozen_at,
        protocol_hash=study.protocol_hash,
        design_hash=study.design_hash,
        protocol=study.settings,
        bank=version.bank.slug,
        bank_version=version.number,
        bank_digest=version.digest,
        item_bank_digest=study.item_bank.digest if study.item_bank else None,
        judge_protocol_sha256=study.judge_protocol.sha256 if study.judge_protocol else None,
        amendments=tuple(
            AmendmentEntry(
                number=amendment.number,
                changes=amendment.changes,
                reason=amendment.reason,
                protocol_hash_before=amendment.protocol_hash_before,
                protocol_hash=amendment.protocol_hash,
                made_at=amendment.made_at,
            )
            for amendment in study.amendments.order_by("number")
        ),
    )
