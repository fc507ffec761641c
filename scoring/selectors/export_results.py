"""Results as export rows, and what the manifest says about study and runs."""

from collections.abc import Iterator

from scoring.export.manifest import AmendmentEntry, RunEntry, StudyEntry
from scoring.export.rows import EstimateRow, MetricRow, TaskRow
from scoring.models import ResultSet, ScoringRun
from scoring.selectors.runs import newest_results, runs_of
from studies.models import Study

ESTIMATE_COLUMNS = [name for name in EstimateRow.model_fields if name != "run"]


def numbered_results(study: Study) -> Iterator[tuple[int, ResultSet]]:
    """The newest results of every run that has any."""
    for number, run in enumerate(runs_of(study), start=1):
        results = newest_results(run)
        if results is not None:
            yield number, results


def estimate_rows(study: Study) -> Iterator[EstimateRow]:
    """The newest estimates of every run."""
    for number, results in numbered_results(study):
        for values in results.estimates.order_by("pk").values(*ESTIMATE_COLUMNS):
            yield EstimateRow(run=number, **values)


def task_rows(study: Study) -> Iterator[TaskRow]:
    """The newest accuracies per task of every run."""
    for number, results in numbered_results(study):
        for row in results.task_accuracies.order_by("pk"):
            yield TaskRow(
                run=number, group=row.group, task=row.task, responses=row.responses, accuracy=row.accuracy
            )


def metric_rows(study: Study) -> Iterator[MetricRow]:
    """The newest summaries of every run."""
    for number, results in numbered_results(study):
        for row in results.metrics.order_by("pk"):
            yield MetricRow(run=number, group=row.group, name=row.name, value=row.value)


def run_entries(study: Study) -> Iterator[RunEntry]:
    """Every run, oldest first."""
    for number, run in enumerate(runs_of(study), start=1):
        yield run_entry(number, run)


def run_entry(number: int, run: ScoringRun) -> RunEntry:
    results = newest_results(run)
    return RunEntry(
        number=number,
        judge_kind=run.judge_kind,
        judge=run.judge,
        judge_sha256=run.judge_sha256,
        protocol_hash=run.protocol_hash,
        started_at=run.started_at,
        finished_at=run.finished_at,
        results_computed_at=results.computed_at if results else None,
        inputs_sha256=results.inputs_sha256 if results else None,
        flow=results.flow if results else None,
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
                protocol_hash=amendment.protocol_hash,
                made_at=amendment.made_at,
            )
            for amendment in study.amendments.order_by("number")
        ),
    )
