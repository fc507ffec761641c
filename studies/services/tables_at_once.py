"""Many tables made by one migration, without the models of the state made anew after each of them."""

from collections.abc import Sequence
from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class TablesAtOnce(Operation):
    """Make tables of several apps, each with its app; they may refer to each other in any order."""

    serialization_expand_args = ["tables"]

    def __init__(self, tables: Sequence[tuple[str, CreateModel]]) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # Otherwise Django makes all related models again for each that comes; so once, when they are read.
        vars(state).pop("apps", None)
        for app, table in self.tables:
            table.state_forwards(app, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for app, table in self.tables:
            table.database_forwards(app, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for app, table in reversed(self.tables):
            table.database_backwards(app, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Make {len(self.tables)} tables"
