"""What a site kept, put back into the tables of its time, and what became of it."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.color import no_style
from django.db import connection, models, transaction

from tests.upgrades.states import landed, table_rows, tables_of

Rows = list[dict[str, Any]]
State = Sequence[tuple[str, str]]  # the newest migration of every app


def state_of(folder: Path) -> State:
    """The state of the migrations at which `folder` was kept."""
    kept = json.loads((folder / "release.json").read_text())
    return [(app, name) for app, name in kept["newest_migrations"]]


def kept_rows(folder: Path) -> dict[str, Rows]:
    """The rows that `folder` keeps, by the labels of the models of its time."""
    with gzip.open(folder / "rows.jsonl.gz", "rt", encoding="utf-8") as lines:
        return dict(map(json.loads, lines))


def changes_since(folder: Path) -> list[str]:
    """What the migrations did to the rows that `folder` keeps."""
    loader = landed(connection)
    then, now = loader.project_state(state_of(folder)).apps, loader.project_state().apps
    before, after = tables_of(then), tables_of(now)
    return sorted(
        changes(
            {before[label]: values for label, values in kept_rows(folder).items()},
            {after[label]: values for label, values in table_rows(now)},
        )
    )


def rows_insert(state: State, rows: Mapping[str, Rows]) -> None:
    """Every row with its key; then PostgreSQL counts on from the highest."""
    apps = landed(connection).project_state(state).apps
    of_label = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    with transaction.atomic():
        for label, values in rows.items():
            model = of_label[label]
            model._base_manager.bulk_create((model_row(model, one) for one in values), batch_size=500)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(of_label.values())):
            cursor.execute(statement)


def model_row(model: type[models.Model], values: Mapping[str, Any]) -> models.Model:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return model(**{name: fields[name].to_python(value) for name, value in values.items()})


def changes(before: Mapping[str, Rows], after: Mapping[str, Rows]) -> Iterator[str]:
    """What is not there any more, or not as it was: "table is gone", "table: 3 of 9 rows are gone", …

    New tables, columns and rows of content types and permissions are no change of what was kept.
    """
    for table, rows in before.items():
        if table not in after:
            yield f"{table} is gone"
            continue
        found = {row_key(row): row for row in after[table]}
        there = [(row, found[row_key(row)]) for row in rows if row_key(row) in found]
        if len(there) < len(rows):
            yield f"{table}: {len(rows) - len(there)} of {len(rows)} rows are gone"
        if len(found) > len(rows) and table not in ("auth_permission", "django_content_type"):
            yield f"{table}: {len(found) - len(rows)} new rows"
        for name in rows[0] if rows else ():
            if any(name not in new for _, new in there):
                yield f"{table}.{name} is gone"
            elif changed := sum(old[name] != new[name] for old, new in there):
                yield f"{table}.{name}: {changed} of {len(rows)} values differ"


def row_key(row: Mapping[str, Any]) -> Any:
    """The primary key, which is the first column of every table here."""
    return next(iter(row.values()))
