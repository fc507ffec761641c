"""The export of a study: pseudonymous tables, a manifest with their hashes, and a data dictionary."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from scoring.export.dictionary import DICTIONARY_NAME, data_dictionary
from scoring.export.folder import TargetRefused, new_folder
from scoring.export.manifest import MANIFEST_NAME, FileEntry, Manifest, Omitted
from scoring.export.rows import (
    ROW_TYPES,
    AnswerRow,
    CriterionRow,
    EstimateRow,
    EventRow,
    FlagRow,
    MetricRow,
    ParticipantRow,
    PromptRow,
    Row,
    ScoreRow,
    SessionRow,
    TaskRow,
    VerdictRow,
)
from scoring.export.tables import write_table, write_text
from scoring.selectors.export_answers import (
    answer_rows,
    criterion_rows,
    private_answers,
    private_prompts,
    prompt_rows,
    score_rows,
)
from scoring.selectors.export_people import (
    event_rows,
    flag_rows,
    participant_rows,
    session_rows,
    verdict_rows,
)
from scoring.selectors.export_results import (
    estimate_rows,
    metric_rows,
    run_entries,
    study_entry,
    task_rows,
)
from scoring.services.snapshot import snapshot
from studies.models import Participant, Study
from studies.services.refusals import Refused

ROWS_OF: Mapping[type[Row], Callable[[Study], Iterable[Row]]] = {
    ParticipantRow: participant_rows,
    SessionRow: session_rows,
    PromptRow: prompt_rows,
    AnswerRow: answer_rows,
    ScoreRow: score_rows,
    CriterionRow: criterion_rows,
    FlagRow: flag_rows,
    VerdictRow: verdict_rows,
    EstimateRow: estimate_rows,
    TaskRow: task_rows,
    MetricRow: metric_rows,
    EventRow: event_rows,
}


class ExportRefused(Refused):
    """Nothing was written; an earlier export at the place is untouched."""


def study_export(*, study: Study, target: Path, replace: bool, software: str, now: datetime) -> Manifest:
    """Write everything about the study into the folder `target`, which appears whole or not at all.

    All tables show one moment, and people may go on working meanwhile. Raises ExportRefused.
    """
    try:
        with new_folder(target, replace=replace) as folder, snapshot():
            study.refresh_from_db()
            manifest = export_into(folder, study, software, now)
            write_text(folder, MANIFEST_NAME, manifest.as_json())
    except TargetRefused as refusal:
        raise ExportRefused(str(refusal)) from refusal
    except OSError as error:
        raise ExportRefused(
            f"{target} cannot be written: {error.strerror or error}; nothing was kept."
        ) from error
    return manifest


def export_into(folder: Path, study: Study, software: str, now: datetime) -> Manifest:
    files: list[FileEntry] = []
    for row_type in ROW_TYPES:
        files += write_table(folder, row_type, ROWS_OF[row_type](study))
    files.append(write_text(folder, DICTIONARY_NAME, data_dictionary()))
    return Manifest(
        software=software,
        exported_at=now,
        study=study_entry(study),
        runs=tuple(run_entries(study)),
        omitted=Omitted(
            test_participants=Participant.objects.filter(study=study, is_test=True).count(),
            private_prompts=private_prompts(study),
            answers_to_private_prompts=private_answers(study),
        ),
        canaries=tuple(study.bank_version.canaries),
        files=tuple(files),
    )
