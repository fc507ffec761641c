"""manage.py import_models ITEM_BANK FILE: store results of models, to put a cohort beside them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from formats.cells import csv_line
from formats.problems import one_line
from presentation.numbers import counted, quantity
from scoring.management.item_bank_arguments import named_item_bank
from scoring.readers.model_results.reading import ResultsFormat, read_model_results
from scoring.readers.model_results.records import MAX_NAME_CHARACTERS, ModelResults, ModelResultsRefused
from scoring.selectors.leaderboards import studies_keeping, template_rows
from scoring.services.leaderboards import LeaderboardImport, leaderboard_import
from studies.management.operators import OperatorCommand
from studies.models import ItemBank

SHOWN = 10


class Command(OperatorCommand):
    help = (
        "Import results of models for the prompts of an item bank: scores per question and epoch or "
        "published thetas (JSONL or CSV), or an Inspect AI log (.json or .eval). All of a file or nothing of "
        "it; the same file again changes nothing. A missing, failed or unscored response is never 0."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("item_bank", help="its short name, or the beginning of its digest")
        parser.add_argument("file", type=Path, nargs="?")
        parser.add_argument(
            "--template", action="store_true", help="print a CSV table of the bank's questions to fill in"
        )
        parser.add_argument("--source", default="", help="where the results come from, shown beside them")
        parser.add_argument(
            "--format", choices=[*ResultsFormat], help="default: by the file's name and first line"
        )
        parser.add_argument("--model", default="", help="names the configuration of an Inspect log")
        parser.add_argument("--scorer", default="", help="which scorer of an Inspect log counts")
        parser.add_argument(
            "--replace", action="store_true", help="put these results in the place of others of the same name"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        if len(options["model"]) > MAX_NAME_CHARACTERS:
            raise CommandError(f"--model: at most {MAX_NAME_CHARACTERS} characters.")
        item_bank = named_item_bank(options["item_bank"])
        if options["template"]:
            self.stdout.write("".join(map(csv_line, template_rows(item_bank))), ending="")
            return
        if options["file"] is None:
            raise CommandError("Name the file with the results, or print a table to fill in: --template")
        results = read(options)
        done = leaderboard_import(
            item_bank=item_bank,
            results=results,
            source=options["source"],
            replace=options["replace"],
            now=timezone.now(),
            clock=timezone.now,
        )
        self.stdout.write("\n".join(lines(item_bank, results, done)))


def read(options: dict[str, Any]) -> ModelResults:
    chosen = ResultsFormat(options["format"]) if options["format"] else None
    try:
        return read_model_results(
            options["file"], of=chosen, model=options["model"].strip(), scorer=options["scorer"]
        )
    except ModelResultsRefused as refusal:
        raise CommandError(
            f"Nothing was imported; problems found: {counted(len(refusal.problems))}\n{refusal}"
        ) from None


def lines(item_bank: ItemBank, results: ModelResults, done: LeaderboardImport) -> list[str]:
    """What happened, for the terminal."""
    written = [
        f"{item_bank.slug}: {quantity(len(done.created), 'configuration', 'configurations')} imported, "
        f"{counted(len(done.replaced))} replaced, {counted(len(done.unchanged))} unchanged; "
        f"{quantity(done.scores, 'score', 'scores')}."
    ]
    written += [f"Missing, because {why}: {counted(number)}" for why, number in results.missing.items()]
    written += [f"Note: {notice}" for notice in results.notices]
    if done.unknown_prompts:
        number = len(done.unknown_prompts)
        written.append(
            f"Not in the item bank: {quantity(number, 'prompt', 'prompts')} with "
            f"{quantity(done.unknown_responses, 'response', 'responses')}"
        )
        written += [f"  {one_line(prompt_id)}" for prompt_id in done.unknown_prompts[:SHOWN]]
        written += [f"  and {counted(number - SHOWN)} more"] if number > SHOWN else []
    if done.created or done.replaced:
        studies = studies_keeping(item_bank)
        written += [
            f"{slug} is locked and keeps what it had; its lead runs: take_models {slug}" for slug in studies
        ]
    return written
