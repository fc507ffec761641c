"""What of the site is configured, reachable and missing. Changes nothing and says no secret.

Database, broker, cache, worker, beat and mail are asked with short timeouts; then what the site itself needs:
room on the disk, its addresses, keys of judges.
"""

import shutil
import smtplib
import sqlite3
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from django.conf import settings
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from redis import RedisError

from batches.models import ClockWatch
from batches.rules.clock import TOLERANCE
from judging.models import JudgeConfig
from judging.services.judge_keys import JudgeNotConfigured, judge_key
from llm.endpoints import origin_of
from operations.services.heartbeats import Part, heartbeat_read
from operations.services.upkeep import BACKUP_IS_OLD, MAIL_IS_LATE, backup_noted, mails_waiting
from studies.services.database import database_now
from studies.services.mails.notifications import WAITING_LIMIT, NotSent, messages_waiting

GIBIBYTE = 1024**3
MIN_FREE_BYTES = GIBIBYTE
CONNECT_SECONDS = 3
MAIL_SECONDS = 5
# A sweep is due every ten seconds.
SILENT_SECONDS = 60

START = {
    "worker": "start it: celery --app config.celery worker --pool threads --concurrency 4",
    "beat": "start exactly one: celery --app config.celery beat --pidfile=",
}


class Finding(NamedTuple):
    """What was looked at, whether it is well, what was found; where it is not well, what to do."""

    part: str
    ok: bool
    detail: str
    remedy: str = ""


def checkup(*, now: datetime, ask_mail: bool = True) -> Iterator[Finding]:
    """Look at one part after the other; each takes a few seconds at most, whatever is down. Without
    `ask_mail` the mail server, which is far away, is left alone.
    """
    for check in CHECKS:
        if check is mail and not ask_mail:
            continue
        try:
            yield from check(now)
        except Exception as error:  # noqa: BLE001  # one check that fails must not hide the others
            name = check.__name__.replace("_", " ")
            yield Finding(name, False, f"could not be checked ({type(error).__name__})", "see the log")


def database(_now: datetime) -> Iterator[Finding]:
    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"].setdefault("connect_timeout", CONNECT_SECONDS)
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        reason = str(error).splitlines()[0]
        yield Finding("database", False, f"cannot be reached: {reason}", "start it, or correct DATABASE_URL")
        return
    yield Finding("database", True, _database_name())
    yield _migrations()
    yield _clock()
    yield from _clock_in_doubt()


def _database_name() -> str:
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}, {facts['NAME']}"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
    return f"PostgreSQL {version}, {facts['NAME']} on {facts['HOST'] or 'this machine'}"


def _migrations() -> Finding:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return Finding("migrations", False, f"{len(missing)} not applied", "run: python manage.py migrate")
    return Finding("migrations", True, "all applied")


def _clock() -> Finding:
    """This host's clock beside the database's; the half of the question's time is taken off."""
    if connection.vendor == "sqlite":
        return Finding("clock", True, "the database has the clock of this host")
    before = timezone.now()
    theirs = database_now()
    ahead = before + (timezone.now() - before) / 2 - theirs
    seconds = ahead.total_seconds()
    detail = f"{abs(seconds):.1f} s {'ahead of' if seconds > 0 else 'behind'} the database's"
    return Finding("clock", abs(ahead) <= TOLERANCE, detail, "set both hosts' clocks by NTP")


def _clock_in_doubt() -> Iterator[Finding]:
    """What worker and beat last thought of the clock, where they do not believe it; nothing otherwise."""
    try:
        watched = ClockWatch.objects.filter(pk=1).first()
    except DatabaseError:  # it is not migrated, which is said
        return
    if watched and watched.held_since:
        since = f"{watched.held_since:%Y-%m-%d %H:%M} UTC"
        detail = (
            f"not believed since {since}, {watched.held_seconds:+,} s; no session ends, nothing is deleted"
        )
        yield Finding("belief in it", False, detail, "correct it; if it is right: manage.py confirm_clock")


def broker(_now: datetime) -> Iterator[Finding]:
    kind = "Redis" if settings.PRODUCTION or "redis" in settings.CELERY_BROKER_URL else "files"
    try:
        waiting = messages_waiting()
    except NotSent as reason:
        yield Finding("broker", False, f"{kind}: {reason}", "start it, or correct REDIS_URL")
        return
    counts = ", ".join(f"{number} in {queue}" for queue, number in waiting.items())
    crowded = max(waiting.values(), default=0) >= WAITING_LIMIT
    yield Finding("broker", not crowded, f"{kind}; messages waiting: {counts}", "start a worker")
    yield Finding("cache", True, "in the memory of each process; nothing depends on it")


def background(now: datetime) -> Iterator[Finding]:
    yield _last_seen("worker", now)
    yield _last_seen("beat", now)


def _last_seen(part: Part, now: datetime) -> Finding:
    try:
        seen = heartbeat_read(part)
    except (RedisError, OSError):
        return Finding(part, False, "not known while the broker cannot be asked", "as for the broker")
    if seen is None:
        return Finding(part, False, "never seen in the last day", START[part])
    seconds = max(0.0, now.timestamp() - seen)
    return Finding(part, seconds <= SILENT_SECONDS, f"last seen {seconds:.0f} s ago", START[part])


def mail(_now: datetime) -> Iterator[Finding]:
    """Connect and sign in, as for a mail; none is sent."""
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        yield Finding("mail", True, "stays on this machine (CHIRON_MAIL_URL names no server)")
        return
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    server = get_connection(timeout=MAIL_SECONDS)
    try:
        server.open()
        server.close()
    except (smtplib.SMTPException, OSError) as error:
        detail = f"{where} does not take mail from here ({type(error).__name__})"
        yield Finding("mail", False, detail, "correct CHIRON_MAIL_URL, or let this host through")
    else:
        yield Finding("mail", True, f"{where} takes mail from here")


def mails(now: datetime) -> Iterator[Finding]:
    """What waits to be sent; nothing where the tables cannot be asked, which is said."""
    try:
        number, tried, late = mails_waiting(now)
    except DatabaseError:
        return
    ok = not tried and (late is None or late < MAIL_IS_LATE)
    detail = f"{number} waiting, {tried} of them tried in vain"
    yield Finding("mails", ok, detail, "see the log for the reason; check worker and CHIRON_MAIL_URL")


def backup(now: datetime) -> Iterator[Finding]:
    """When `manage.py backup` last ended well; other ways to keep copies are not seen from here."""
    taken = backup_noted()
    if taken is None:
        yield Finding("backup", True, "none taken with manage.py backup; others are not seen from here")
        return
    detail = f"last taken {taken:%Y-%m-%d %H:%M} UTC"
    yield Finding("backup", now - taken < BACKUP_IS_OLD, detail, "run: python manage.py backup FOLDER")


def storage(_now: datetime) -> Iterator[Finding]:
    folder: Path = settings.DATA_DIR
    yield _writable(folder)
    free = shutil.disk_usage(folder).free
    yield Finding("free space", free >= MIN_FREE_BYTES, f"{free / GIBIBYTE:.1f} GiB", "make room on the disk")
    mode = stat.S_IMODE(folder.stat().st_mode)
    detail = "for the site alone" if not mode & 0o077 else f"others may enter (mode {mode:o})"
    yield Finding("rights", not mode & 0o077, detail, f"run: chmod 700 {folder}")


def _writable(folder: Path) -> Finding:
    try:
        for place in (folder, Path(settings.MEDIA_ROOT)):
            if place.is_dir():
                TemporaryFile(dir=place).close()
    except OSError as error:
        return Finding("storage", False, f"{place}: {error.strerror}", "let the site's user write there")
    return Finding("storage", True, f"{folder} can be written to")


def addresses(_now: datetime) -> Iterator[Finding]:
    collected = (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file()
    detail = "collected" if collected else "not collected"
    yield Finding("static files", collected, detail, "run: python manage.py collectstatic --no-input")
    known = bool(settings.SITE_URL) or not settings.PRODUCTION
    detail = settings.SITE_URL or "not set"
    yield Finding("address", known, detail, "set CHIRON_SITE_URL, with which the links in mails begin")


def judges(_now: datetime) -> Iterator[Finding]:
    """Whether this process was given each judge's key; the worker and the site must be given the same."""
    try:
        named = list(JudgeConfig.objects.exclude(key_variable=""))
    except DatabaseError:
        yield Finding(
            "judges' keys", False, "not asked: they are named in the database", "as for the database"
        )
        return
    if not named:
        yield Finding("judges' keys", True, "no judge needs one")
    for config in named:
        yield _key(config)


def _key(config: JudgeConfig) -> Finding:
    part = f"key of {config.slug}"
    try:
        judge_key(config)
    except JudgeNotConfigured as problem:
        return Finding(part, False, "not usable", str(problem))
    return Finding(part, True, f"{config.key_variable} is set, for {origin_of(config.base_url)}")


CHECKS: tuple[Callable[[datetime], Iterator[Finding]], ...] = (
    *(database, broker, background, mail, mails),
    *(storage, backup, addresses, judges),
)
