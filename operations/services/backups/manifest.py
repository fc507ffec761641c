"""What a backup holds: every table by the number and the hash of its rows, every file by its hash."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from itertools import chain
from pathlib import Path

from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from pydantic import BaseModel, ValidationError

from studies.models import Attachment, Credential
from studies.services.refusals import Refused

MANIFEST = "manifest.json"
CHUNK_ROWS = 2000


class ManifestUnreadable(Refused):
    """The file is no manifest of a backup."""


class TableFacts(BaseModel):
    """`sha256` goes over all columns of all rows in the order of their keys."""

    rows: int
    sha256: str


class Manifest(BaseModel):
    """The state of the database at one moment, and the files that its rows name.

    `files` maps paths in the media folder to the hashes of what was copied; `missing` are those that rows
    name and that were not there, or not as their row says.
    """

    made_at: datetime
    database: str
    migrations: list[str]
    tables: dict[str, TableFacts]
    files: dict[str, str]
    missing: list[str]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())


def manifest_read(path: Path) -> Manifest:
    """Raises ManifestUnreadable."""
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ManifestUnreadable(
            f"{path} cannot be read as the manifest of a backup ({type(error).__name__}). "
            f"Name the {MANIFEST} in the backup's folder."
        ) from None


def applied_migrations() -> list[str]:
    return [f"{app}.{name}" for app, name in sorted(MigrationRecorder(connection).applied_migrations())]


def table_facts() -> dict[str, TableFacts]:
    """Every table of the site by its name, many-to-many tables included."""
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    return {table: _facts(model) for table, model in sorted(models.items())}


def _facts(model: type[Model]) -> TableFacts:
    columns = [field.attname for field in model._meta.concrete_fields]
    digest, count = hashlib.sha256(), 0
    rows = model._base_manager.order_by("pk").values_list(*columns)
    for row in rows.iterator(chunk_size=CHUNK_ROWS):
        digest.update(json.dumps(row, default=str, sort_keys=True).encode() + b"\n")
        count += 1
    return TableFacts(rows=count, sha256=digest.hexdigest())


def named_files() -> Mapping[str, str]:
    """The hash of each file that a row names, by its path in the media folder."""
    stored = (model._base_manager.values_list("file", "sha256") for model in (Attachment, Credential))
    return dict(chain.from_iterable(stored))


def file_sha256(path: Path) -> str | None:
    """Hex; None where there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
