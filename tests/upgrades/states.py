"""The rows of a database as plain values, by the models of whichever state of the migrations."""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.apps.registry import Apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import SeparateDatabaseAndState
from django.db.migrations.state import ProjectState

ROOT = Path(__file__).resolve().parent.parent.parent
OUR_APPS = ("studies", "jobs", "batches", "screening", "judging", "scoring", "reporting")


def landed_migrations() -> dict[str, str]:
    """The sha256 (hex) of every migration file of our own apps, by its path in the repository."""
    files = sorted(path for app in OUR_APPS for path in (ROOT / app / "migrations").glob("[!_]*.py"))
    return {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def landed(connection: BaseDatabaseWrapper) -> MigrationLoader:
    """The landed migrations, without what makes all their tables at once."""
    loader = MigrationLoader(connection, replace_migrations=False)
    for key, squash in loader.replacements.items():
        loader.graph.remove_replacement_node(key, squash.replaces)
        loader.applied_migrations.pop(key, None)
    return loader


@contextmanager
def rendered_when_read() -> Iterator[None]:
    """Let what moves models between apps make the models of a state once, when they are next read.

    Django makes all related models again after each of dozens of operations that touch no table, which is
    most of the time that our migrations take. The state says the same, and so do its models.
    """
    forwards = SeparateDatabaseAndState.state_forwards

    def state_forwards(self: SeparateDatabaseAndState, app_label: str, state: ProjectState) -> None:
        if not self.database_operations:
            vars(state).pop("apps", None)
        forwards(self, app_label, state)

    with patch.object(SeparateDatabaseAndState, "state_forwards", state_forwards):
        yield


def table_rows(apps: Apps) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Every table with its rows in the order of their keys, as JSON holds them."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            yield model._meta.label, [plain(row) for row in model._base_manager.order_by("pk")]


def tables_of(apps: Apps) -> dict[str, str]:
    """The table of every model, by the label that kept rows have: models move between apps, tables stay."""
    return {model._meta.label: model._meta.db_table for model in apps.get_models(include_auto_created=True)}


def plain(row: models.Model) -> dict[str, Any]:
    values = {field.attname: field.value_from_object(row) for field in row._meta.concrete_fields}
    told: dict[str, Any] = json.loads(json.dumps(values, cls=Values))
    return told


class Values(DjangoJSONEncoder):
    """Also bytes and files, which are their names; moments to the microsecond."""

    def default(self, value: object) -> object:
        if isinstance(value, (bytes, memoryview)):
            return base64.b64encode(value).decode()
        if isinstance(value, models.fields.files.FieldFile):
            return value.name
        if hasattr(value, "isoformat"):
            return value.isoformat()
        return super().default(value)
