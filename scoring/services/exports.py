"""The export of a study: pseudonymous tables, a manifest with their hashes, and a data dictionary."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from scoring.export.dictionary import DICTIONARY_NAME, data_dictionary
from scoring.export.folder import TargetRefused, new_folder
from scoring.export.manifest import MANIFEST_NAME, FileEntry, Manifest, Omitted
from scoring.export.rows import ROW_TYPES
from scoring.export.rows.answers import AnswerRow, CriterionRow, JudgeCallRow, PromptRow, ScoreRow
from scoring.export.rows.base import Row
from scoring.export.rows.judges import AgreementRow, AuditResultRow, AuditRow
from scoring.export.rows.people import EventRow, FlagRow, ParticipantRow, SessionRow, VerdictRow
from scoring.export.rows.results import (
    EstimateRow,
    ItemRow,
    MeasurementRow,
    MetricRow,
    ModelRow,
    ModelScoreRow,
    TaskRow,
)
from scoring.export.scripts import (
    INDEPENDENT_NAME,
    LIBRARY_NAME,
    SCRIPT,
    SCRIPT_NAME,
    independent_script,
    library_archive,
)
from scoring.export.tables import write_bytes, write_table, write_text
from scoring.selectors.export_agreement import agreement_rows
from scoring.selectors.export_answers import (
    answer_rows,
    call_rows,
    criterion_rows,
    private_answers,
    private_prompts,
    prompt_rows,
    score_rows,
)
from scoring.selectors.export_audit import audit_entries, audit_result_rows, audit_rows
from scoring.selectors.export_measures import measure_rows
from scoring.selectors.export_models import item_rows, model_rows, model_score_rows, private_items
from scoring.selectors.export_people import (
    event_rows,
    flag_rows,
    participant_rows,
    session_rows,
    verdict_rows,
)
from scoring.selectors.export_results import (
    estimate_rows,
    item_bank_entry,
    judging_run_entries,
    metric_rows,
    run_entries,
    study_entry,
    task_rows,
)
from scoring.services.freshness import out_of_date
from studies.models import Participant, Study
from studies.services.database import snapshot
from studies.services.refusals import Refused

ROWS_OF: Mapping[type[Row], Callable[[Study], Iterable[Row]]] = {
    ParticipantRow: participant_rows,
    SessionRow: session_rows,
    PromptRow: prompt_rows,
    AnswerRow: answer_rows,
    ScoreRow: score_rows,
    CriterionRow: criterion_rows,
    JudgeCallRow: call_rows,
    FlagRow: flag_rows,
    VerdictRow: verdict_rows,
    EstimateRow: estimate_rows,
    TaskRow: task_rows,
    MetricRow: metric_rows,
    MeasurementRow: measure_rows,
    ItemRow: item_rows,
    ModelRow: model_rows,
    ModelScoreRow: model_score_rows,
    AgreementRow: agreement_rows,
    AuditRow: audit_rows,
    AuditResultRow: audit_result_rows,
    EventRow: event_rows,
}


class ExportRefused(Refused):
    """Nothing was written; an earlier export at the place is untouched."""


class ResultsOutOfDate(ExportRefused):
    """What would be exported is missing, or older than the answers it rests on."""


def study_export(*, study: Study, target: Path, replace: bool, software: str, now: datetime) -> Manifest:
    """Write everything about the study into the folder `target`, which appears whole or not at all.

    All tables show one moment, and people may go on working meanwhile. Results of that moment must be there:
    nothing is computed here. Raises ExportRefused, ResultsOutOfDate.
    """
    try:
        with new_folder(target, replace=replace) as folder, snapshot():
            study.refresh_from_db()
            require_current(study)
            manifest = export_into(folder, study, software, now)
            write_text(folder, MANIFEST_NAME, manifest.as_json())
    except TargetRefused as refusal:
        raise ExportRefused(str(refusal)) from refusal
    except OSError as error:
        raise ExportRefused(
            f"{target} cannot be written: {error.strerror or error}; nothing was kept."
        ) from error
    return manifest


def require_current(study: Study) -> None:
    if found := out_of_date(study):
        raise ResultsOutOfDate(
            f"Missing, or older than the answers: {found}. Nothing was written; export_study {study.slug} "
            "computes it first. If answers are being judged, let the run end or pause it."
        )


def export_into(folder: Path, study: Study, software: str, now: datetime) -> Manifest:
    files: list[FileEntry] = []
    for row_type in ROW_TYPES:
        files += write_table(folder, row_type, ROWS_OF[row_type](study))
    files.append(write_text(folder, DICTIONARY_NAME, data_dictionary()))
    files.append(write_text(folder, SCRIPT_NAME, SCRIPT))
    files.append(write_bytes(folder, LIBRARY_NAME, library_archive()))
    files.append(write_text(folder, INDEPENDENT_NAME, independent_script()))
    return Manifest(
        software=software,
        exported_at=now,
        study=study_entry(study),
        item_bank=item_bank_entry(study),
        runs=tuple(run_entries(study)),
        judging_runs=tuple(judging_run_entries(study)),
        audits=tuple(audit_entries(study)),
        omitted=Omitted(
            test_participants=Participant.objects.filter(study=study, is_test=True).count(),
            private_prompts=private_prompts(study),
            answers_to_private_prompts=private_answers(study),
            private_items=private_items(study),
        ),
        canaries=tuple(study.bank_version.canaries),
        files=tuple(files),
    )
