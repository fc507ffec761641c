"""Upgrade a kept release: `python -m tests.upgrades.upgrade RELEASE OUT`, in an empty database.

Migrates to the release's own state, puts its rows there, and migrates on with the real command. Writes into
the folder `OUT` what the migrations did to those rows (`changes.json`) and an export of every study.
"""

import argparse
import gzip
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import django

django.setup()

from django.apps.registry import Apps  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.management.color import no_style  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402
from django.db.migrations.loader import MigrationLoader  # noqa: E402

from tests.upgrades.states import table_rows, tables_of  # noqa: E402

Rows = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    rows = kept_load(asked.release)
    (asked.out / "changes.json").write_text(json.dumps(sorted(changes(rows, present_rows()))))
    for study in rows["studies_study"]:
        call_command("export_study", study["slug"], str(asked.out / study["slug"]))


def kept_load(folder: Path) -> dict[str, Rows]:
    """Put what `folder` keeps into the empty database and migrate on; the rows as kept, by table."""
    kept = json.loads((folder / "release.json").read_text())
    with gzip.open(folder / "rows.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows: dict[str, Rows] = dict(map(json.loads, lines))
    targets = [(app, name) for app, name in kept["newest_migrations"]]
    apps = MigrationExecutor(connection).migrate(targets).apps
    rows_insert(apps, rows)
    if (folder / "media").exists():
        shutil.copytree(folder / "media", settings.MEDIA_ROOT, dirs_exist_ok=True)
    call_command("migrate", verbosity=0)
    tables = tables_of(apps)
    return {tables[label]: values for label, values in rows.items()}


def present_rows() -> dict[str, Rows]:
    """Every table as it is now."""
    apps = MigrationLoader(connection).project_state().apps
    tables = tables_of(apps)
    return {tables[label]: values for label, values in table_rows(apps)}


def rows_insert(apps: Apps, rows: Mapping[str, Rows]) -> None:
    """Every row with its key; then PostgreSQL counts on from the highest."""
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


if __name__ == "__main__":
    main()
