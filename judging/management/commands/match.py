"""Judge responses to BIG-Bench Extra Hard or BIG-Bench Hard by the benchmarks' own rules."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.matching import bbh
from judging.matching.response_lines import (
    ResponseLine,
    ResponseLinesRefused,
    read_response_lines,
    verdict_on,
)
from presentation.numbers import counted, decimals
from psychometrics.benchmark.metrics import per_task_accuracy


class Command(BaseCommand):
    help = (
        "Print what each line of RESPONSES.jsonl (response, reference and, for bbh, task; question where it "
        "is known) comes to as one JSON object per line, and the accuracy per task on standard error; for "
        "bbh also which lines an earlier version of the rules read otherwise. No database is needed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rules", choices=("bbeh", "bbh"))
        parser.add_argument("responses", type=Path, metavar="RESPONSES.jsonl")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = read_response_lines(options["responses"], options["rules"])
        except ResponseLinesRefused as refusal:
            raise CommandError(f"The responses {options['responses']} cannot be used:\n{refusal}") from None
        outcomes: list[tuple[str, bool | None]] = []
        for line in lines:
            verdict = verdict_on(line, options["rules"])
            self.stdout.write(json.dumps(asdict(verdict)))
            outcomes.append((line.task, verdict.correct))
        for task, accuracy in per_task_accuracy(outcomes).items():
            share = f"{decimals(accuracy.accuracy)} %" if accuracy.n else "nothing scored"
            missing = f", {counted(accuracy.missing)} missing" if accuracy.missing else ""
            of_all = f"{counted(accuracy.correct)} of {counted(accuracy.n)} correct{missing}"
            self.stderr.write(f"{task}: {share} ({of_all})", style_func=str)
        for version in bbh.EARLIER if options["rules"] == "bbh" else ():
            if changed := _changed(lines, version):
                self.stderr.write(changed, style_func=str)


def _changed(lines: list[ResponseLine], version: int) -> str:
    """How many readings are others than by an earlier version of the rules, and of which responses."""
    pairs = [(verdict_on(line, "bbh"), verdict_on(line, "bbh", version)) for line in lines]
    read = [number for number, (new, old) in enumerate(pairs, 1) if new.extracted != old.extracted]
    right = [number for number, (new, old) in enumerate(pairs, 1) if new.correct and old.correct is False]
    wrong = [number for number, (new, old) in enumerate(pairs, 1) if old.correct and new.correct is False]
    if not read:
        return ""
    return (
        f"version {bbh.VERSION} of the rules reads {counted(len(read))} of {counted(len(lines))} responses "
        "otherwise than "
        f"version {version}{_named(read)}; right now and wrong before: {counted(len(right))}{_named(right)}; "
        f"wrong now and right before: {counted(len(wrong))}{_named(wrong)}"
    )


def _named(lines: list[int]) -> str:
    """The numbers of these lines, in the order of the file."""
    return f" (lines {', '.join(map(str, lines))})" if lines else ""
