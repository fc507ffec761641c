"""manage.py import_task_table TABLE.json: an item bank of tasks, with the models it was calibrated on."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from psychometrics.benchmark.accuracy_table import AccuracyTableRefused
from scoring.readers.accuracy_tables import read_accuracy_table
from scoring.services.task_tables import task_table_import
from studies.management.operators import OperatorCommand, slug_of


class Command(OperatorCommand):
    help = (
        "Calibrate the tasks of a table of accuracies (models by tasks, as for benchmark_metrics) and store "
        "them as an item bank; a study of the benchmark with this bank is placed beside the table's models."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, metavar="TABLE.json")
        parser.add_argument("--slug", help="the item bank's short name (default: from the path)")
        parser.add_argument("--source", help="where the table is from (default: the name of the file)")

    def handle(self, *_: Any, table: Path, slug: str | None, source: str | None, **__: Any) -> None:
        try:
            read = read_accuracy_table(table)
        except AccuracyTableRefused as refusal:
            raise CommandError(f"The table {table} cannot be used:\n{refusal}") from None
        item_bank, calibration, created = task_table_import(
            slug=slug or slug_of(table), table=read, source=source or table.name, now=timezone.now()
        )
        fit = calibration.fit
        said = {
            "item_bank": item_bank.slug, "new": created, "tasks": len(fit.b),
            "configurations": len(fit.theta), "difficulty_only": calibration.difficulty_only,
            "r_squared": fit.r_squared, "sigma_hat": fit.sigma_hat, "converged": fit.converged,
            "digest": item_bank.digest,
        }  # fmt: skip
        self.stdout.write(json.dumps(said))
