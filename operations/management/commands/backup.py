"""manage.py backup DIR: database, files and keys of this moment, with a manifest, while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from operations.services.backups import backup_take
from operations.services.upkeep import backup_note
from presentation.numbers import quantity
from studies.management.operators import OperatorCommand


class Command(OperatorCommand):
    help = (
        "Copy database, files and the site's own keys into a new folder, with a manifest for verify_backup. "
        "The site goes on meanwhile. Keep the folder as safe as the site: it holds everything."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that does not exist yet")

    def handle(self, *_: Any, folder: Path, **__: Any) -> None:
        now = timezone.now()
        manifest = backup_take(folder=folder, now=now)
        backup_note(now=now)
        tables, files = len(manifest.tables), len(manifest.files)
        self.stdout.write(
            f"{quantity(manifest.rows, 'row', 'rows')} of {quantity(tables, 'table', 'tables')} and "
            f"{quantity(files, 'file', 'files')} are in {folder.resolve()}."
        )
        for path in manifest.missing:
            self.stdout.write(f"Not copied: media/{path} is missing, or is not what its row says.")
