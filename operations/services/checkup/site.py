"""What the site itself needs: room on the disk, its addresses, keys of judges."""

import shutil
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile

from django.conf import settings
from django.db import DatabaseError

from judging.models import JudgeConfig
from judging.services.judge_keys import JudgeNotConfigured, judge_key
from llm.endpoints import origin_of
from operations.services.checkup.finding import Finding

GIBIBYTE = 1024**3
MIN_FREE_BYTES = GIBIBYTE


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
