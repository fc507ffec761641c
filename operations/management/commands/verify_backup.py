"""manage.py verify_backup MANIFEST: whether this site is exactly what was backed up."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from operations.services.backups import manifest_read, restored_faults
from presentation.numbers import quantity
from studies.management.operators import OperatorCommand


class Command(OperatorCommand):
    help = (
        "Compare a restored copy, before anybody works with it, with the manifest of its backup: every row "
        "of every table, every file, and what is stored twice. Ends with 1 and says what differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("manifest", type=Path, help="manifest.json in the backup's folder")

    def handle(self, *_: Any, manifest: Path, **__: Any) -> None:
        backed_up = manifest_read(manifest)
        faults = list(restored_faults(backed_up))
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            raise CommandError("This copy is not what was backed up.")
        self.stdout.write(
            f"Whole: {quantity(backed_up.rows, 'row', 'rows')} of "
            f"{quantity(len(backed_up.tables), 'table', 'tables')} and "
            f"{quantity(len(backed_up.files), 'file', 'files')} are those of "
            f"{backed_up.made_at:%Y-%m-%d %H:%M} UTC."
        )
        for path in backed_up.missing:
            self.stdout.write(f"Already missing then: media/{path}")
