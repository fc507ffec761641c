"""manage.py import_bank FORMAT PATH: store a prompt bank as its next version."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from formats.problems import grouped
from presentation.numbers import counted, quantity
from studies.bank.building import BankReading
from studies.bank.reading import READERS, read_bank
from studies.management.operators import OperatorCommand, slug_of
from studies.selectors.banks import studies_on_other_versions
from studies.services.banks import BankImport, bank_import


class Command(OperatorCommand):
    help = (
        "Import a prompt bank: store the valid prompts and list all problems, or refuse them with --strict."
    )
    arguments = {
        "format": {"choices": list(READERS)},
        "path": {"type": Path},
        "--slug": {"help": "the bank's short name (default: from the path)"},
        "--mini": {"action": "store_true", "help": "bbeh: the mini set of 20 questions per task"},
        "--strict": {"action": "store_true", "help": "refuse a file with any problem"},
    }

    def handle(self, *_: object, **options: Any) -> None:
        path, mini = options["path"], options["mini"]
        slug = options["slug"] or slug_of(path) + ("-mini" if mini else "")
        try:
            reading = read_bank(options["format"], path, mini=mini)
        except ValueError as error:
            raise CommandError(str(error)) from None
        result = bank_import(slug=slug, reading=reading, strict=options["strict"], now=timezone.now())
        self.report(result, reading)

    def report(self, result: BankImport, reading: BankReading) -> None:
        version, prompts = result.version, reading.bank.prompts
        if result.created:
            counts = (
                Counter(prompt.grading for prompt in prompts),
                Counter(prompt.modality for prompt in prompts),
            )
            # E.g. `10 rubric; 8 text, 2 image`.
            kinds = "; ".join(
                ", ".join(f"{counted(number)} {kind}" for kind, number in count.items()) for count in counts
            )
            contents = f"{quantity(len(prompts), 'prompt', 'prompts')} ({kinds})"
            self.stdout.write(f"Imported {version}: {contents}. Digest {version.digest}")
        else:
            self.stdout.write(f"Unchanged: {version} holds exactly this content. Digest {version.digest}")
        if result.problems:
            self.stderr.write(f"Left out; problems found: {counted(len(result.problems))}")
            for problem in grouped(result.problems):
                self.stderr.write(f"  {problem}")
        for notice in grouped(reading.notices):
            self.stdout.write(f"Note: {notice}")
        for study in studies_on_other_versions(version):
            self.stdout.write(
                f'The frozen study "{study.slug}" stays on {study.bank_version}, which never changes.'
            )
