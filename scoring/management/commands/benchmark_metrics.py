"""Print macro, micro and adjusted harmonic mean per model from a table of accuracies."""

import json
import math
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from presentation.numbers import counted
from psychometrics.benchmark.accuracy_table import AccuracyTableRefused
from scoring.readers.accuracy_tables import read_accuracy_table


class Command(BaseCommand):
    help = (
        "Print macro and micro average and adjusted harmonic mean (percent) of each model in ACCURACIES.json "
        "as one JSON object per line. No database is needed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("accuracies", type=Path, metavar="ACCURACIES.json")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            table = read_accuracy_table(options["accuracies"])
        except AccuracyTableRefused as refusal:
            raise CommandError(f"The table {options['accuracies']} cannot be used:\n{refusal}") from None
        for metrics in table.metrics():
            values = asdict(metrics)
            model, not_measured = values.pop("model"), values.pop("not_measured")
            strict = {name: None if math.isnan(value) else value for name, value in values.items()}
            line = {"model": model, **strict, "not_measured": not_measured}
            self.stdout.write(json.dumps(line, allow_nan=False))
            if metrics.not_measured:
                used = len(table.tasks) - len(metrics.not_measured)
                note = f"{metrics.model}: over tasks {counted(used)} of {counted(len(table.tasks))}; null: "
                self.stderr.write(note + ", ".join(metrics.not_measured), style_func=str)
        if table.sizes is None:
            note = "micro is null: these are not BBEH's tasks; give the questions per task in task_sizes"
            self.stderr.write(note, style_func=str)
