"""What of the site is configured, reachable and missing. Changes nothing and says no secret.

Database, broker, cache, worker, beat and mail are asked with short timeouts; then what the site itself needs:
room on the disk, its addresses, keys of judges. What was found is said in the language of who asks.
"""

import shutil
import smtplib
import sqlite3
import stat
import time
import uuid
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
from django.utils.translation import gettext as _

from batches.models import Session
from batches.services.sums import counted_from, sessions_differing
from formats.wording import gettext_noop
from judging.models import JudgeConfig, JudgingRun
from judging.services.judge_keys import JudgeNotConfigured, judge_key
from judging.services.running.counting import run_differs
from llm.egress import origin_of
from operations.services.heartbeats import Part, heartbeat_read
from operations.services.upkeep import BACKUP_IS_OLD, MAIL_IS_LATE, backup_noted, mails_waiting
from presentation.moments import moment_text
from presentation.numbers import counted, decimals, numbered
from studies.clock import TOLERANCE
from studies.models import ClockWatch, Study, StudyStatus
from studies.services.database import database_now
from studies.services.messages import WAITING_LIMIT, BrokerAway, NotSent, messages_waiting

GIBIBYTE = 1024**3
MIN_FREE_BYTES = GIBIBYTE
CONNECT_SECONDS = 3
MAIL_SECONDS = 5
# A sweep is due every ten seconds; one that does not come is told before the next two are.
SILENT_SECONDS = 30
SUMS_SECONDS = 3
SUMS_NAMED = 5

START = {
    "worker": gettext_noop("start it: celery --app config.celery worker --pool threads --concurrency 4"),
    "beat": gettext_noop("start exactly one: celery --app config.celery beat --pidfile="),
}


class Finding(NamedTuple):
    """What was looked at, whether it is well, what was found; where it is not well, what to do."""

    part: str
    ok: bool
    detail: str
    remedy: str = ""


def checkup(*, now: datetime, ask_mail: bool = True, recount: bool = True) -> Iterator[Finding]:
    """Look at one part after the other; each takes a few seconds at most, whatever is down. Without
    `ask_mail` the mail server, which is far away, is left alone, and without `recount` the sums are.
    """
    for check in CHECKS:
        if (check is mail and not ask_mail) or (check is sums and not recount):
            continue
        try:
            yield from check(now)
        except Exception as error:  # noqa: BLE001  # one check that fails must not hide the others
            name = check.__name__.replace("_", " ")
            detail = _("could not be checked (%(error)s)") % {"error": type(error).__name__}
            yield Finding(name, False, detail, _("see the log"))


def database(_now: datetime) -> Iterator[Finding]:
    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"].setdefault("connect_timeout", CONNECT_SECONDS)
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        detail = _("cannot be reached: %(reason)s") % {"reason": str(error).splitlines()[0]}
        yield Finding("database", False, detail, _("start it, or correct DATABASE_URL"))
        return
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        name = f"SQLite {sqlite3.sqlite_version}, {facts['NAME']}"
    else:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            version = cursor.fetchone()[0]
        where = {"version": version, "name": facts["NAME"], "host": facts["HOST"] or _("this machine")}
        name = _("PostgreSQL %(version)s, %(name)s on %(host)s") % where
    yield Finding("database", True, name)
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    detail = numbered(_("%(number)d not applied"), {"number": len(missing)}) if missing else _("all applied")
    remedy = _("run: %(command)s") % {"command": "python manage.py migrate"}
    yield Finding("migrations", not missing, detail, remedy)
    yield from _clock()


def _clock() -> Iterator[Finding]:
    """This host's clock beside the database's, and what worker and beat hold against it, if anything."""
    if connection.vendor == "sqlite":
        yield Finding("clock", True, _("the database has the clock of this host"))
    else:
        before = timezone.now()
        theirs = database_now()
        # Half of what the question took is taken off.
        ahead = before + (timezone.now() - before) / 2 - theirs
        seconds = ahead.total_seconds()
        way = (
            _("%(seconds)s s ahead of the database's")
            if seconds > 0
            else _("%(seconds)s s behind the database's")
        )
        detail = way % {"seconds": decimals(abs(seconds), 1)}
        yield Finding("clock", abs(ahead) <= TOLERANCE, detail, _("set both hosts' clocks by NTP"))
    try:
        watched = ClockWatch.objects.filter(pk=1).first()
    except DatabaseError:  # it is not migrated, which is said
        return
    if watched and watched.held_since:
        sentence = _("not believed since %(since)s, %(seconds)s s; no session ends, nothing is deleted")
        facts = {
            "since": moment_text(watched.held_since),
            "seconds": f"{'+' * (watched.held_seconds > 0)}{counted(watched.held_seconds)}",
        }
        remedy = _("correct it; if it is right: manage.py confirm_clock")
        yield Finding("belief in it", False, sentence % facts, remedy)


def broker(_now: datetime) -> Iterator[Finding]:
    kind = "Redis" if settings.PRODUCTION or "redis" in settings.CELERY_BROKER_URL else _("files")
    try:
        waiting = messages_waiting()
    except NotSent as reason:
        yield Finding("broker", False, f"{kind}: {reason}", _("start it, or correct REDIS_URL"))
        return
    counts = ", ".join(f"{queue} {counted(number)}" for queue, number in waiting.items())
    crowded = max(waiting.values(), default=0) >= WAITING_LIMIT
    detail = _("%(kind)s; messages waiting: %(counts)s") % {"kind": kind, "counts": counts}
    yield Finding("broker", not crowded, detail, _("start a worker"))
    yield Finding("cache", True, _("in the memory of each process; nothing depends on it"))


def background(now: datetime) -> Iterator[Finding]:
    yield _last_seen("worker", now)
    yield _last_seen("beat", now)


def _last_seen(part: Part, now: datetime) -> Finding:
    try:
        seen = heartbeat_read(part)
    except BrokerAway:
        return Finding(part, False, _("not known while the broker cannot be asked"), _("as for the broker"))
    if seen is None:
        return Finding(part, False, _("never seen in the last day"), _(START[part]))
    seconds = max(0.0, now.timestamp() - seen.at)
    sentence = (
        _("last seen %(seconds)d s ago; its process has ended")
        if seen.is_gone
        else _("last seen %(seconds)d s ago")
    )
    detail = numbered(sentence, {"seconds": round(seconds)})
    return Finding(part, seconds <= SILENT_SECONDS and not seen.is_gone, detail, _(START[part]))


def mail(_now: datetime) -> Iterator[Finding]:
    """Connect and sign in, as for a mail; none is sent."""
    if not settings.EMAIL_BACKEND.endswith("smtp.EmailBackend"):
        yield Finding("mail", True, _("stays on this machine (CHIRON_MAIL_URL names no server)"))
        return
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    server = get_connection(timeout=MAIL_SECONDS)
    try:
        server.open()
        server.close()
    except (smtplib.SMTPException, OSError) as error:
        facts = {"where": where, "error": type(error).__name__}
        detail = _("%(where)s does not take mail from here (%(error)s)") % facts
        yield Finding("mail", False, detail, _("correct CHIRON_MAIL_URL, or let this host through"))
    else:
        yield Finding("mail", True, _("%(where)s takes mail from here") % {"where": where})


def mails(now: datetime) -> Iterator[Finding]:
    """What waits to be sent; nothing where the tables cannot be asked, which is said."""
    try:
        number, tried, late = mails_waiting(now)
    except DatabaseError:
        return
    ok = not tried and (late is None or late < MAIL_IS_LATE)
    detail = numbered(
        _("%(number)d waiting, %(tried)d of them tried in vain"), {"number": number, "tried": tried}
    )
    remedy = _("see the log for the reason; check worker and CHIRON_MAIL_URL")
    yield Finding("mails", ok, detail, remedy)


def backup(now: datetime) -> Iterator[Finding]:
    """When `manage.py backup` last ended well; other ways to keep copies are not seen from here.

    Without a locked study of real people there is nothing yet that could not be made again.
    """
    taken = backup_noted()
    remedy = _("run: %(command)s") % {"command": "python manage.py backup FOLDER"}
    if taken is not None:
        detail = _("last taken %(time)s") % {"time": moment_text(taken)}
        yield Finding("backup", now - taken < BACKUP_IS_OLD, detail, remedy)
        return
    try:
        has_people = Study.objects.exclude(status=StudyStatus.DRAFT).filter(is_simulated=False).exists()
    except DatabaseError:  # that is said of the database
        has_people = False
    if has_people:
        detail = _("none taken with manage.py backup; others are not seen from here")
        yield Finding("backup", False, detail, remedy)
    else:
        yield Finding("backup", True, _("not needed yet: no study of real people is locked"))


def storage(_now: datetime) -> Iterator[Finding]:
    folder: Path = settings.DATA_DIR
    try:
        for place in (folder, Path(settings.MEDIA_ROOT)):
            if place.is_dir():
                TemporaryFile(dir=place).close()
    except OSError as error:
        remedy = _("let the site's user write there")
        yield Finding("storage", False, f"{place}: {error.strerror}", remedy)
    else:
        yield Finding("storage", True, _("%(folder)s can be written to") % {"folder": folder})
    free = shutil.disk_usage(folder).free
    room = f"{decimals(free / GIBIBYTE, 1)} GiB"
    yield Finding("free space", free >= MIN_FREE_BYTES, room, _("make room on the disk"))
    mode = stat.S_IMODE(folder.stat().st_mode)
    alone = not mode & 0o077
    detail = (
        _("for the site alone") if alone else _("others may enter (mode %(mode)s)") % {"mode": f"{mode:o}"}
    )
    yield Finding("rights", alone, detail, _("run: %(command)s") % {"command": f"chmod 700 {folder}"})


def addresses(_now: datetime) -> Iterator[Finding]:
    collected = (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file()
    detail = _("collected") if collected else _("not collected")
    remedy = _("run: %(command)s") % {"command": "python manage.py collectstatic --no-input"}
    yield Finding("static files", collected, detail, remedy)
    known = bool(settings.SITE_URL) or not settings.PRODUCTION
    detail = settings.SITE_URL or _("not set")
    yield Finding("address", known, detail, _("set CHIRON_SITE_URL, with which the links in mails begin"))


def judges(_now: datetime) -> Iterator[Finding]:
    """Whether this process was given each judge's key; the worker and the site must be given the same."""
    try:
        named = list(JudgeConfig.objects.exclude(key_variable=""))
    except DatabaseError:
        detail = _("not asked: they are named in the database")
        yield Finding("judges' keys", False, detail, _("as for the database"))
        return
    if not named:
        yield Finding("judges' keys", True, _("no judge needs one"))
    for config in named:
        part = _("key of %(judge)s") % {"judge": config.slug}
        try:
            judge_key(config)
        except JudgeNotConfigured as problem:
            yield Finding(part, False, _("not usable"), str(problem))
        else:
            facts = {"name": config.key_variable, "origin": origin_of(config.base_url)}
            yield Finding(part, True, _("%(name)s is set, for %(origin)s") % facts)


def sums(now: datetime) -> Iterator[Finding]:
    """Recount what is kept of sessions and runs that are over: all of it on a small site, on a large one what
    some seconds allow, each time from another place on.
    """
    until = time.monotonic() + SUMS_SECONDS
    looked_at, wrong = 0, []
    try:
        number = Session.objects.filter(counted_at__isnull=False).count()
        for some in counted_from(uuid.uuid4()):
            looked_at += len(some)
            people = [session.participant for session in sessions_differing(some)]
            wrong += [f"{person.study.slug} {person.code}" for person in people]
            if time.monotonic() > until:
                break
        for run in JudgingRun.objects.filter(counts__isnull=False).order_by("-pk"):
            wrong += [_("run %(number)s") % {"number": run.pk}] if run_differs(run, now) else []
            if time.monotonic() > until:
                break
    except DatabaseError:  # that is said of the database
        return
    facts = {"n": counted(looked_at), "all": counted(number)}
    detail = _("sessions recounted: %(n)s of %(all)s; runs of judges, too") % facts
    if wrong:
        detail += "; " + _("wrong: %(which)s") % {"which": ", ".join(wrong[:SUMS_NAMED])}
    remedy = _("run: %(command)s") % {"command": "python manage.py recount_sums"}
    yield Finding("sums", not wrong, detail, remedy)


CHECKS: tuple[Callable[[datetime], Iterator[Finding]], ...] = (
    *(database, broker, background, mail, mails),
    *(storage, backup, addresses, judges, sums),
)
