"""Tables that are made of the models as they are now."""

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def migrations_record() -> None:
    """Say of the database that all migrations have run, though its tables were made without them."""
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    for app, name in MigrationLoader(connection).disk_migrations:
        recorder.record_applied(app, name)
