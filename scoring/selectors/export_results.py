"""Results as export rows, and what the manifest says about study and runs."""

from collections.abc import Iterator
from dataclasses import asdict
from decimal import Decimal

from django.db.models import Count, Q, Sum

from judging.models import JudgingRun, ScoringRun
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.methods import METHODS
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
from scoring.models import ResultSet
from scoring.selectors.bank_items import bank_sizes
from scoring.selectors.headlines import headlines
from scoring.selectors.measures import measurement_of
from scoring.selectors.run_notes import exported_notes
from scoring.selectors.runs import newest_results, runs_of
from studies.models import Study

ESTIMATE_COLUMNS = [name for name in EstimateRow.model_fields if name != "run"]
MAY_LEAVE = Q(may_leave=True)
EMPTY_AS_NONE = ("reason_pool", "reason_ql", "interval")


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
        for one in headlines(results, MAY_LEAVE)[0]:
            values = {name: getattr(one, name) for name in ESTIMATE_COLUMNS}
            values |= {name: values[name] or None for name in EMPTY_AS_NONE}
            yield EstimateRow(run=number, **values)


def task_rows(study: Study) -> Iterator[TaskRow]:
    """The newest accuracies per task of every run: a task may have one private prompt only."""
    for number, results in numbered_results(study):
        for one in headlines(results, MAY_LEAVE)[1]:
            yield TaskRow(run=number, **asdict(one))


def metric_rows(study: Study) -> Iterator[MetricRow]:
    """The newest summaries of the tasks of every run."""
    for number, results in numbered_results(study):
        for one in headlines(results, MAY_LEAVE)[2]:
            yield MetricRow(run=number, **asdict(one))


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
        computed_at=found.computed_at, methods=METHODS, names=tuple(CATALOGUE),
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
    sizes = bank_sizes(study)
    return ItemBankEntry(
        squeeze_scale=bank.squeeze_scale,
        squeeze_offset=bank.squeeze_offset,
        sigma_hat=bank.sigma_hat,
        response_model=bank.response_model,
        items=sizes.total(),
        items_by_category=dict(sorted(sizes.items())),
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
