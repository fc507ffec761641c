"""A whole site of a test's own: database, broker, workers, beat; its facts read from the database by SQL."""

import http.client
import json
import os
import shutil
import sqlite3
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from operations.rehearsal.servers import web_command
from tests.faults.parts import ROOT, Part, free_port, until
from tests.faults.servers import Redis

# Short, so that the rows of a killed worker come back within a test.
TIMES = {"CHIRON_JUDGING_LEASE_SECONDS": "6", "CHIRON_JUDGING_SLICE_SECONDS": "4"}
CELERY = [sys.executable, "-m", "celery", "--app", "config.celery"]
# Of a judge. What a killed worker had under way is asked about again so long after it, and a lease.
TIMEOUT_SECONDS = 6.0
# Each time that a row is written as decided: the database itself counts what was accepted.
WATCHES = {
    "postgresql": """
        CREATE TABLE decisions (row_id bigint);
        CREATE FUNCTION note_decision() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO decisions VALUES (NEW.id); RETURN NULL; END $$;
        CREATE TRIGGER decided AFTER UPDATE ON scoring_criterionscore
            FOR EACH ROW WHEN (NEW.state <> 'open') EXECUTE FUNCTION note_decision();
    """,
    "sqlite": """
        CREATE TABLE decisions (row_id integer);
        CREATE TRIGGER decided AFTER UPDATE ON scoring_criterionscore WHEN NEW.state <> 'open'
            BEGIN INSERT INTO decisions VALUES (NEW.id); END;
    """,
}
# Proxies of tests have a certificate of the tests' own.
TRUSTING = ssl._create_unverified_context()  # noqa: S323
INHERITED = {"PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH"}


@dataclass(frozen=True)
class RunFacts:
    """What the database says of the one judging run: rows by state, calls by outcome, why not scored.

    `decided_again`: how often a decided row was decided once more.
    """

    state: str
    pause_reason: str
    planned: int
    rows: dict[str, int]
    calls: dict[str, int]
    unscored: dict[str, int]
    decided_again: int

    @property
    def decided(self) -> int:
        return self.rows.get("scored", 0) + self.rows.get("unscored", 0)


@dataclass
class Site:
    """`database_url` is empty and `redis` None in embedded mode.

    `static_files` are collected ones, which its web server may copy.
    """

    folder: Path
    logs: Path
    database_url: str = ""
    redis: Redis | None = None
    static_files: Path | None = None
    extra: dict[str, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        urls = {}
        if self.database_url:
            urls["DATABASE_URL"] = self.database_url
        if self.redis:
            urls["REDIS_URL"] = self.redis.url
        own = {name: value for name, value in os.environ.items() if name in INHERITED}
        own["DJANGO_SETTINGS_MODULE"] = "config.settings"
        return {**own, "CHIRON_DATA_DIR": str(self.folder), **TIMES, **self.extra, **urls}

    def python(self, *arguments: str) -> str:
        """Run Python in the site's environment; what it printed."""
        code, said = self.tried(*arguments)
        assert code == 0, said[-4000:]
        return said

    def tried(self, *arguments: str) -> tuple[int, str]:
        """The same where it may fail: its exit code, and what it printed, errors last where it failed."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        return done.returncode, done.stdout + (done.stderr if done.returncode else "")

    def helper(self, name: str, module: str) -> Part:
        """A process of the tests' own in the site's environment, started."""
        return self._started(name, [sys.executable, "-m", module])

    def sleeper(self) -> Part:
        """A process that locks judge and run in mid-run, says so, and stands still in its transaction."""
        return self.helper("sleeper", "tests.faults.hold_locks")

    def part(self, name: str, *arguments: str) -> Part:
        """A Celery process of the site, started."""
        return self._started(name, [*CELERY, *arguments])

    def _started(self, name: str, command: list[str]) -> Part:
        part = Part(name, command, environment=self.environment, logs=self.logs)
        self.parts.append(part)
        return part.start()

    def worker(self, name: str = "worker", *, beat: bool = False) -> Part:
        threads = ("--pool", "threads", "--concurrency", "4", "--loglevel", "warning")
        return self.part(name, "worker", "--hostname", f"{name}@%h", *threads, *(("--beat",) if beat else ()))

    def beat(self, name: str = "beat") -> Part:
        return self.part(name, "beat", "--loglevel", "warning")

    def web(self) -> tuple[Part, str]:
        """The web server with its two workers, answering; and its address."""
        port = free_port()
        if self.static_files:
            shutil.copytree(self.static_files, self.folder / "static", dirs_exist_ok=True)
        elif not (self.folder / "static/staticfiles.json").exists():
            self.collect_static()
        web, url = self._started("web", web_command(port)), f"http://127.0.0.1:{port}"
        until(lambda: answers(url), seconds=60, what="the site answers")
        return web, url

    def collect_static(self) -> None:
        self.python("manage.py", "collectstatic", "--no-input", "--verbosity", "0")

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        if self.database_url:
            with psycopg.connect(self.database_url) as connection:
                return connection.execute(sql.encode()).fetchall()
        with closing(sqlite3.connect(self.folder / "chiron.sqlite3", timeout=20)) as file:
            return file.execute(sql).fetchall()

    def run_facts(self) -> RunFacts:
        [(state, reason, planned)] = self.query("SELECT state, pause_reason, planned FROM scoring_judgingrun")
        return RunFacts(
            state=state,
            pause_reason=reason,
            planned=planned,
            rows=self._counts("state", "scoring_criterionscore"),
            calls=self._counts("outcome", "scoring_judgecall"),
            unscored=self._counts(
                "unscored_reason",
                "(SELECT * FROM scoring_criterionscore WHERE state = 'unscored') AS unscored",
            ),
            decided_again=self.query("SELECT COUNT(*) - COUNT(DISTINCT row_id) FROM decisions")[0][0],
        )

    def _counts(self, column: str, table: str) -> dict[str, int]:
        return dict(self.query(f"SELECT {column}, COUNT(*) FROM {table} GROUP BY {column}"))  # noqa: S608

    def decided(self) -> int:
        [(count,)] = self.query("SELECT COUNT(*) FROM scoring_criterionscore WHERE state <> 'open'")
        return int(count)

    def until_decided(self, rows: int, *, seconds: float = 90) -> None:
        until(lambda: self.decided() >= rows, seconds=seconds, what=f"{rows} rows are decided")

    def until_over(self, *, seconds: float = 120) -> RunFacts:
        """Wait for the one run to be no longer running; its facts then."""
        self.until_all_over(seconds=seconds)
        return self.run_facts()

    def until_all_over(self, *, seconds: float) -> None:
        """Wait until no run goes on, however long it takes, while not `seconds` pass without a decision."""
        decided, since = -1, time.monotonic()
        while self.query("SELECT id FROM scoring_judgingrun WHERE state = 'running'"):
            if (now_decided := self.decided()) != decided:
                decided, since = now_decided, time.monotonic()
            assert time.monotonic() - since <= seconds, f"no row was decided for {seconds:.0f} s"
            time.sleep(0.3)

    def make_tables(self) -> None:
        """Prepare the empty database, and have it watch over its rows."""
        self.python("-m", "tests.faults.make_tables")
        if self.database_url:
            with psycopg.connect(self.database_url) as connection:
                connection.execute(WATCHES["postgresql"].encode())
        else:
            with closing(sqlite3.connect(self.folder / "chiron.sqlite3")) as file:
                file.executescript(WATCHES["sqlite"])

    def make(self, *, people: int, studies: int = 1, prompts: int = 20) -> None:
        """Fill the database with studies whose answers wait to be judged."""
        counts = ("--people", str(people), "--studies", str(studies), "--prompts", str(prompts))
        self.python("-m", "tests.faults.make_study", *counts)

    def start_run(self, judge_url: str, *, budget: str = "", **judge: object) -> int:
        """Start judging every study; `judge` are the judge's fields. How many rows are planned."""
        return self.start_panel({judge_url: judge}, budget=budget)

    def start_panel(self, judges: Mapping[str, Mapping[str, object]], *, budget: str = "") -> int:
        """The same with several judges: their fields by their base URLs."""
        usual = {"concurrency": 16, "timeout_seconds": TIMEOUT_SECONDS}
        fields = json.dumps([{**usual, **judge} for judge in judges.values()])
        limit = ("--budget", budget) if budget else ()
        return int(self.python("-m", "tests.faults.start_run", *judges, "--fields", fields, *limit))

    def clear(self) -> None:
        """End whatever it started."""
        for part in self.parts:
            part.clear()


def answers(url: str, *, seconds: float = 60) -> bool:
    """Whether a page of the site comes, on a connection of its own."""
    try:
        page = f"{url}/accounts/login/"
        with urllib.request.urlopen(page, timeout=seconds, context=TRUSTING) as reply:  # noqa: S310  # our own
            return b"<form" in reply.read()
    except (OSError, http.client.HTTPException):
        return False


@contextmanager
def site(folder: Path, *, database_url: str = "", redis: Redis | None = None) -> Iterator[Site]:
    made = Site(folder=folder / "data", logs=folder / "logs", database_url=database_url, redis=redis)
    try:
        yield made
    finally:
        made.clear()
