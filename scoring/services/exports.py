"""The export of a study: pseudonymous tables, a manifest with their hashes, and a data dictionary."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from scoring.export import scripts
from scoring.export.dictionary import (
    DICTIONARY_NAME,
    PACKAGE_NAME,
    READER_NAME,
    data_dictionary,
    data_package,
    table_reader,
)
from scoring.export.folder import TargetRefused, new_folder
from scoring.export.manifest import MANIFEST_NAME, FileEntry, Manifest
from scoring.export.publication import CITATION_NAME, LICENCE_NAME, citation_cff, licence_text
from scoring.export.readme import QUOTED_ROWS, README_NAME, is_quoted, readme
from scoring.export.rows import ROW_TYPES
from scoring.export.rows.base import Audience, Row, rows_for
from scoring.export.tables import write_bytes, write_table, write_text
from scoring.models import ExportContents, ExportFile
from scoring.selectors import (
    export_answers as answers,
    export_judges as judges,
    export_manifest as entries,
    export_people as people,
    export_results as results,
)
from scoring.selectors.export_files import publication_of
from scoring.services.export_files import ExportRefused, Said, file_make
from scoring.services.freshness import out_of_date
from studies.models import Study, User
from studies.services.database import snapshot

ROWS_OF: Mapping[str, Callable[[Study], Iterable[Row]]] = {
    "participants": people.participant_rows,
    "sessions": people.session_rows,
    "prompts": answers.prompt_rows,
    "answers": answers.answer_rows,
    "scores": answers.score_rows,
    "criteria": answers.criterion_rows,
    "judge_calls": answers.call_rows,
    "flags": people.flag_rows,
    "verdicts": people.verdict_rows,
    "estimates": results.estimate_rows,
    "task_accuracies": results.task_rows,
    "metrics": results.metric_rows,
    "measures": results.measure_rows,
    "items": results.item_rows,
    "models": results.model_rows,
    "model_scores": results.model_score_rows,
    "agreement": judges.agreement_rows,
    "audit": judges.audit_rows,
    "audit_results": judges.audit_result_rows,
    "events": people.event_rows,
}


def nothing_said(done: int, of: int) -> None:
    """For callers that show no progress."""


class ResultsOutOfDate(ExportRefused):
    """What would be exported is missing, or older than the answers it rests on."""


def study_export(
    *,
    study: Study,
    target: Path,
    replace: bool,
    software: str,
    now: datetime,
    audience: Audience = Audience.INTERNAL,
    said: Said = nothing_said,
) -> Manifest:
    """Write everything for this audience into the folder `target`, which appears whole or not at all.

    All tables show one moment, and people may go on working meanwhile. Results of that moment must be there:
    nothing is computed here. Raises ExportRefused, ResultsOutOfDate.
    """
    try:
        with new_folder(target, replace=replace) as folder, snapshot():
            study.refresh_from_db()
            if (found := out_of_date(study)).beside_audits:
                raise ResultsOutOfDate(
                    f"Missing, or older than the answers: {found}. Nothing was written; export_study "
                    f"{study.slug} computes it first. If answers are being judged, let the run end or "
                    "pause it."
                )
            manifest = _export_into(folder, study, software, now, audience, said)
            write_text(folder, MANIFEST_NAME, manifest.as_json())
    except TargetRefused as refusal:
        raise ExportRefused(str(refusal)) from refusal
    except OSError as error:
        raise ExportRefused(
            f"{target} cannot be written: {error.strerror or error}; nothing was kept."
        ) from error
    return manifest


def _export_into(
    folder: Path, study: Study, software: str, now: datetime, audience: Audience, said: Said
) -> Manifest:
    files: list[FileEntry] = []
    quoted: list[Row] = []
    for number, row_type in enumerate(ROW_TYPES):
        said(number, len(ROW_TYPES))
        rows = rows_for(audience, row_type.table, ROWS_OF[row_type.table](study))
        files += write_table(folder, row_type, _noted(rows, quoted) if row_type in QUOTED_ROWS else rows)
    publication = publication_of(study)
    is_public = audience == Audience.PUBLIC
    files.append(write_text(folder, DICTIONARY_NAME, data_dictionary()))
    files.append(write_text(folder, scripts.SCRIPT_NAME, scripts.SCRIPT))
    files.append(write_bytes(folder, scripts.LIBRARY_NAME, scripts.library_archive()))
    files.append(write_text(folder, scripts.INDEPENDENT_NAME, scripts.independent_script()))
    files.append(write_text(folder, PACKAGE_NAME, data_package(study.slug, study.name, publication.licence)))
    files.append(write_text(folder, READER_NAME, table_reader()))
    manifest = Manifest(
        software=software,
        exported_at=now,
        audience=audience.value,
        study=entries.study_entry(study),
        item_bank=entries.item_bank_entry(study),
        runs=tuple(entries.run_entries(study, addresses=not is_public)),
        judging_runs=tuple(entries.judging_run_entries(study)),
        audits=tuple(entries.audit_entries(study)),
        omitted=entries.omitted(study).model_copy(update={"texts": is_public}),
        canaries=tuple(study.bank_version.canaries),
        files=tuple(files),
    )
    texts = {
        LICENCE_NAME: licence_text(publication, manifest.study, now),
        CITATION_NAME: citation_cff(publication, manifest.study, now),
        README_NAME: readme(manifest, publication, quoted),
    }
    more = [write_text(folder, name, text) for name, text in texts.items() if text]
    return manifest.model_copy(update={"files": (*files, *more)})


def _noted(rows: Iterable[Row], quoted: list[Row]) -> Iterator[Row]:
    """The rows, of which those that the README quotes are put aside."""
    for row in rows:
        if is_quoted(row):
            quoted.append(row)
        yield row


def tables_file_make(
    *,
    study: Study,
    contents: ExportContents,
    actor: User | None,
    software: str,
    now: datetime,
    writing: Said,
    packing: Said,
) -> ExportFile:
    """Write the study's tables for an audience and pack them. Raises ExportRefused, ResultsOutOfDate."""

    def fill(folder: Path) -> int:
        manifest = study_export(
            study=study,
            target=folder,
            replace=False,
            software=software,
            now=now,
            audience=Audience(contents.value),
            said=writing,
        )
        return sum(file.rows or 0 for file in manifest.files if file.name.endswith(".csv"))

    return file_make(study=study, contents=contents, actor=actor, now=now, fill=fill, packing=packing)
