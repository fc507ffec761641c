"""Uploaded question banks, item parameters, models' results: read by the same readers as the commands'.

The upload stays where it is, so that a worker that was killed can begin again: whoever called forgets it.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from django.utils.translation import gettext as _

from console.services.staging import BankContents, UploadRefused, note_keep, staged_folder, staged_root
from formats.item_parameters import ItemParametersRefused, read_item_parameters
from formats.problems import Problem, grouped
from formats.progress import Progress, unseen
from presentation.numbers import counted
from psychometrics.benchmark.accuracy_table import AccuracyTableRefused
from psychometrics.calibration import BankFit, FitOptions, NotCalibratable, fit_matrix
from psychometrics.calibration.reporting import parameters_of
from psychometrics.data.response_matrix_files import ResponseMatrixRefused
from scoring.readers.accuracy_tables import read_accuracy_table
from scoring.readers.model_results.reading import read_model_results
from scoring.readers.model_results.records import ModelResults, ModelResultsRefused
from scoring.readers.response_matrices import read_response_matrix
from scoring.services.leaderboards import LeaderboardImport, leaderboard_import
from scoring.services.task_tables import task_table_import
from studies.bank.building import BankReading
from studies.bank.reading import read_bank
from studies.bank.records import BANK_FORMATS
from studies.models import ItemBank, User
from studies.services.banks import BankImport, bank_import, item_bank_import

SHOWN = 200
Clock = Callable[[], datetime]
PhaseProgress = Callable[[str, int, int], None]


def bank_contents_keep(
    *, token: str, slug: str, bank_format: str, mini: bool, progress: Progress = unseen
) -> BankContents:
    """Look at an uploaded bank; nothing is stored. What was found is kept beside the upload, with what was
    chosen. Raises UploadRefused.
    """
    reading = _reading(token, bank_format, mini=mini, progress=progress)
    prompts = reading.bank.prompts
    contents = BankContents(
        prompts=len(prompts),
        grading=dict(Counter(prompt.grading for prompt in prompts)),
        modality=dict(Counter(prompt.modality for prompt in prompts)),
        categories=Counter(prompt.category for prompt in prompts if prompt.category).most_common(12),
        category_names=dict(reading.bank.category_names),
        problems=_shown(reading.problems, token),
        problems_number=len(reading.problems),
        notices=_shown(reading.notices, token),
        first=tuple(prompt.text[:200] for prompt in prompts[:3]),
    )
    chosen = {"slug": slug, "bank_format": bank_format, "mini": mini}
    note_keep(token, {"contents": asdict(contents), "chosen": chosen})
    return contents


def bank_file_import(
    *,
    token: str,
    slug: str,
    bank_format: str,
    mini: bool,
    partial: bool,
    actor: User | None,
    clock: Clock,
    reading: Progress = unseen,
    storing: Progress = unseen,
) -> BankImport:
    """Store an uploaded bank as its next version; with problems only where `partial` leaves those out."""
    bank = _reading(token, bank_format, mini=mini, progress=reading)
    if bank.problems and not partial:
        raise _refusal(bank.problems, token)
    return bank_import(slug=slug, reading=bank, strict=False, actor=actor, now=clock(), progress=storing)


def item_bank_file_import(
    *, token: str, slug: str, actor: User | None, now: datetime
) -> tuple[ItemBank, bool]:
    """Store an uploaded file of item parameters, whole or not at all."""
    try:
        parameters = read_item_parameters(_one_file(token))
    except ItemParametersRefused as refusal:
        raise _refusal(refusal.problems, token) from None
    return item_bank_import(slug=slug, parameters=parameters, now=now, actor=actor)


def calibrated_import(
    *,
    token: str,
    slug: str,
    difficulty_only: bool,
    actor: User | None,
    now: datetime,
    progress: PhaseProgress,
) -> tuple[ItemBank, BankFit]:
    """Calibrate an item bank on an uploaded response matrix, and store it."""
    try:
        matrix = read_response_matrix(_one_file(token))
        fit = fit_matrix(
            matrix, options=FitOptions(difficulty_only=difficulty_only), clock=time.perf_counter,
            progress=progress,
        )  # fmt: skip
    except ResponseMatrixRefused as refusal:
        raise UploadRefused(_without_folder(str(refusal), token)) from None
    except NotCalibratable as refusal:
        raise UploadRefused(
            _("Nothing was stored; the matrix cannot be calibrated: %(why)s") % {"why": refusal}
        ) from None
    item_bank, _created = item_bank_import(slug=slug, parameters=parameters_of(fit), now=now, actor=actor)
    return item_bank, fit


def model_file_import(
    *,
    token: str,
    item_bank: ItemBank,
    source: str,
    model: str,
    scorer: str = "",
    replace: bool,
    actor: User | None,
    clock: Clock,
    reading: Progress = unseen,
    storing: Progress = unseen,
) -> tuple[LeaderboardImport, ModelResults]:
    """Store an uploaded file of models' results, all of it or nothing."""
    try:
        results = read_model_results(
            _one_file(token), model=model.strip(), scorer=scorer.strip(), progress=reading
        )
    except ModelResultsRefused as refusal:
        raise _refusal(refusal.problems, token) from None
    done = leaderboard_import(
        item_bank=item_bank, results=results, source=source, replace=replace, actor=actor, now=clock(),
        clock=clock, progress=storing,
    )  # fmt: skip
    return done, results


def table_file_import(
    *, token: str, slug: str, source: str, actor: User | None, now: datetime
) -> tuple[ItemBank, bool]:
    """Calibrate the tasks of an uploaded table of accuracies, and store them with its models."""
    try:
        table = read_accuracy_table(_one_file(token))
    except AccuracyTableRefused as refusal:
        raise UploadRefused(_without_folder(str(refusal), token)) from None
    item_bank, _calibration, created = task_table_import(
        slug=slug, table=table, source=source, now=now, actor=actor
    )
    return item_bank, created


def _reading(token: str, bank_format: str, *, mini: bool, progress: Progress) -> BankReading:
    known = next((known for known in BANK_FORMATS if known == bank_format), None)
    if known is None:
        raise UploadRefused(_("Choose one of the formats."))
    # The reader of a format is given a file, or the folder that a zip was unpacked to.
    path = staged_root(token)
    if known == "bbh" and path.suffix.lower() != ".parquet" and not path.is_dir():
        path = path.parent
    elif known == "chiron" and not path.is_file():
        files = [file for file in path.rglob("*.jsonl") if "__MACOSX" not in file.parts]
        if len(files) != 1:
            raise UploadRefused(
                _("The zip must hold one file that ends in .jsonl, and has %(number)s. Nothing was imported.")
                % {"number": counted(len(files))}
            )
        path = files[0]
    return read_bank(known, path, mini=mini and known == "bbeh", progress=progress)


def _one_file(token: str) -> Path:
    root = staged_root(token)
    if root.is_dir():
        raise UploadRefused(_("The zip holds several files; one is expected. Nothing was imported."))
    return root


def _refusal(problems: Sequence[Problem], token: str) -> UploadRefused:
    sentence = _("Nothing was imported; problems found: %(number)s") % {"number": counted(len(problems))}
    return UploadRefused("\n".join([sentence, *_shown(problems, token)]))


def _shown(problems: Sequence[Problem], token: str) -> tuple[str, ...]:
    """The first of them, those of a kind as one: a file may have hundreds of thousands."""
    kinds = grouped(problems)
    more = [f"and {len(kinds) - SHOWN:,} more"] if len(kinds) > SHOWN else []
    return (*(_without_folder(str(problem), token) for problem in kinds[:SHOWN]), *more)


def _without_folder(text: str, token: str) -> str:
    """Where a file lies on the server is nobody's concern."""
    for folder in (staged_root(token), staged_folder(token)):
        text = text.replace(f"{folder}/", "")
    return text.replace(str(staged_folder(token)), _("the upload"))
