"""manage.py import_judge_protocol PATH: store the two texts a language-model judge is given."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from studies.management.operators import OperatorCommand, slug_of
from studies.protocol.judge_texts import read_judge_texts
from studies.services.banks import judge_protocol_import


class Command(OperatorCommand):
    help = "Import judge texts from a folder of two text files or a checkout of the public GIM harness."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--slug", help="the judge protocol's short name (default: from the path)")

    def handle(self, *_: Any, path: Path, slug: str | None, **__: Any) -> None:
        protocol, created = judge_protocol_import(
            slug=slug or slug_of(path), texts=read_judge_texts(path), now=timezone.now()
        )
        self.stdout.write(
            f"{'Imported' if created else 'Unchanged:'} {protocol.slug}, from {protocol.source}. "
            f"Hash {protocol.sha256}"
        )
        if protocol.slug != (slug or slug_of(path)):
            self.stdout.write(f'It was there already and keeps its short name, "{protocol.slug}".')
