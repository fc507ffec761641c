"""What benchmarks of the running site share: a database of their own, and everybody signed in and at work.

Everything stays on this machine: a temporary folder, one granian server with the site's settings.
"""

import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

ROOT = Path(__file__).resolve().parents[2]
PEOPLE, BATCH_SIZE, PER_BATCH = 246, 20, 6
STUDY = "benchmark"
TEXT = "What the participant has written so far, a few paragraphs of it. " * 10


@dataclass(frozen=True)
class SignedIn:
    """Somebody with a running session, and the cookie of their browser."""

    session_id: str
    cookie: str


@contextmanager
def site(database_url: str | None, *, settings: str = "config.settings") -> Iterator[Path]:
    """An empty site in a temporary folder, which is yielded: Django set up here and for the servers to come.

    Without an address of a PostgreSQL server the database is SQLite.
    """
    database = own_database(database_url) if database_url else nullcontext()
    with tempfile.TemporaryDirectory(prefix="chiron-load-") as name, database as url:
        os.environ["CHIRON_DATA_DIR"] = name
        os.environ["DJANGO_SETTINGS_MODULE"] = settings
        os.environ["PYTHONPATH"] = str(ROOT)
        if url:
            os.environ["DATABASE_URL"] = url
        else:
            os.environ.pop("DATABASE_URL", None)
        set_up()
        yield Path(name)


@contextmanager
def own_database(server_url: str) -> Iterator[str]:
    """An empty database of our own on the PostgreSQL server."""
    name = f"chiron_benchmark_{os.getpid()}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def set_up() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def everybody_at_work(
    *, people: int = PEOPLE, batches: int | None = None, batch_size: int = BATCH_SIZE, **settings: object
) -> list[SignedIn]:
    """Fill the database: a study under these settings, as many batches as the pilot has for so many people,
    everybody's session running.
    """
    from django.conf import settings as django_settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import connections

    from batches.models import Session
    from benchmarks.sessions.running_study import start_everybody

    batches = batches or math.ceil(people / PER_BATCH)
    start_everybody(slug=STUDY, people=people, batches=batches, batch_size=batch_size, **settings)
    signed_in = []
    for session in Session.objects.select_related("participant__user").order_by("pk"):
        user = session.participant.user
        store = SessionStore()
        store[SESSION_KEY] = str(user.pk)
        store[BACKEND_SESSION_KEY] = django_settings.AUTHENTICATION_BACKENDS[0]
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        store.create()
        cookie = f"{django_settings.SESSION_COOKIE_NAME}={store.session_key}"
        signed_in.append(SignedIn(str(session.pk), cookie))
    connections.close_all()
    return signed_in
