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

from tests.upgrades.states import table_rows  # noqa: E402

Rows = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("release", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    kept = json.loads((asked.release / "release.json").read_text())
    with gzip.open(asked.release / "rows.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows: dict[str, Rows] = dict(map(json.loads, lines))
    targets = [(app, name) for app, name in kept["newest_migrations"]]
    apps = MigrationExecutor(connection).migrate(targets).apps
    rows_insert(apps, rows)
    shutil.copytree(asked.release / "media", settings.MEDIA_ROOT, dirs_exist_ok=True)
    call_command("migrate", verbosity=0)
    now = dict(table_rows(MigrationLoader(connection).project_state().apps))
    (asked.out / "changes.json").write_text(json.dumps(sorted(changes(rows, now))))
    for study in rows["studies.Study"]:
        call_command("export_study", study["slug"], str(asked.out / study["slug"]))


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
    """What is not there any more, or not as it was: "app.Model", "app.Model: 3 rows less", "app.Model.field".

    New tables, columns and rows of content types and permissions are no change of what was kept.
    """
    for label, rows in before.items():
        if label not in after:
            yield f"{label} is gone"
            continue
        found = {row_key(row): row for row in after[label]}
        there = [(row, found[row_key(row)]) for row in rows if row_key(row) in found]
        if len(there) < len(rows):
            yield f"{label}: {len(rows) - len(there)} of {len(rows)} rows are gone"
        if len(found) > len(rows) and label not in ("auth.Permission", "contenttypes.ContentType"):
            yield f"{label}: {len(found) - len(rows)} new rows"
        for name in rows[0] if rows else ():
            if any(name not in new for _, new in there):
                yield f"{label}.{name} is gone"
            elif changed := sum(old[name] != new[name] for old, new in there):
                yield f"{label}.{name}: {changed} of {len(rows)} values differ"


def row_key(row: Mapping[str, Any]) -> Any:
    """The primary key, which is the first column of every table here."""
    return next(iter(row.values()))


if __name__ == "__main__":
    main()
