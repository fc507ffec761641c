"""manage.py import_judge_protocol PATH: store the two texts a language-model judge is given."""

from pathlib import Path

from django.utils import timezone

from studies.management.operators import OperatorCommand, slug_of
from studies.protocol.judge_texts import read_judge_texts
from studies.services.banks import judge_protocol_import


class Command(OperatorCommand):
    help = "Import judge texts from a folder of two text files or a checkout of the public GIM harness."
    arguments = {
        "path": {"type": Path},
        "--slug": {"help": "the judge protocol's short name (default: from the path)"},
    }

    def handle(self, *_: object, path: Path, slug: str | None, **__: object) -> None:
        protocol, created = judge_protocol_import(
            slug=slug or slug_of(path), texts=read_judge_texts(path), now=timezone.now()
        )
        self.stdout.write(
            f"{'Imported' if created else 'Unchanged:'} {protocol.slug}, from {protocol.source}. "
            f"Hash {protocol.sha256}"
        )
        if protocol.slug != (slug or slug_of(path)):
            self.stdout.write(f'It was there already and keeps its short name, "{protocol.slug}".')
