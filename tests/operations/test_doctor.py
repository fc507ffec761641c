"""manage.py doctor: what is configured, reachable and missing, with all of it up and all of it down."""

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from judging.models import JudgeConfig
from operations.services.heartbeats import heartbeat_write
from operations.services.upkeep import backup_note
from studies.models import ClockWatch, Study

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sesame-opens"
DOWN = {
    "DATABASE_URL": f"postgres://chiron:{SECRET}@127.0.0.1:1/chiron",
    "REDIS_URL": f"redis://:{SECRET}@127.0.0.1:1/0",
    "CHIRON_MAIL_URL": f"smtp://chiron:{SECRET}@127.0.0.1:1",
    "CHIRON_SECRET_KEY": SECRET * 4,
}


def rows_of(said: str) -> dict[str, str]:
    """What was found of each part, with "ok" or "BAD" before it."""
    lines = said.splitlines()[:-1]
    return {line[5:19].strip(): f"{line[:4].strip()} {line[20:]}" for line in lines}


def asked(environment: dict[str, str], *before: str) -> tuple[int, str]:
    done = subprocess.run(
        [*before, sys.executable, "manage.py", "doctor"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def all_well(settings: Settings, tmp_path: Path) -> None:
    """A site to which nothing is missing; nobody works at it, but both parts left their signs."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir(mode=0o700)
    (settings.STATIC_ROOT / "staticfiles.json").touch()
    for part in ("worker", "beat"):
        heartbeat_write(part, now=timezone.now().timestamp())


def doctor() -> tuple[int, dict[str, str]]:
    out, code = io.StringIO(), 0
    try:
        call_command("doctor", stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, rows_of(out.getvalue())


@pytest.mark.django_db
def test_where_everything_is_well_the_doctor_says_so(all_well: None) -> None:
    code, rows = doctor()
    assert code == 0, rows
    assert all(said.startswith("ok ") for said in rows.values())
    assert rows["database"].startswith("ok SQLite" if connection.vendor == "sqlite" else "ok PostgreSQL")
    assert {"migrations", "clock", "broker", "cache", "worker", "beat", "mail", "storage"} <= rows.keys()


@pytest.mark.django_db
def test_a_worker_that_fell_silent_and_a_folder_open_to_others_are_told(
    all_well: None, settings: Settings
) -> None:
    heartbeat_write("worker", now=timezone.now().timestamp() - 600)
    settings.DATA_DIR.chmod(0o755)
    code, rows = doctor()
    assert code == 1
    assert rows["worker"].startswith("BAD last seen 600 s ago. Remedy: start it: celery")
    assert rows["rights"].startswith("BAD others may enter (mode 755). Remedy: run: chmod 700")
    assert [said for said in rows.values() if said.startswith("BAD")] == [rows["worker"], rows["rights"]]


@pytest.mark.django_db
@pytest.mark.parametrize("is_noticed", [True, False], ids=["its parent knows", "a zombie"])
def test_a_worker_that_was_killed_is_told_at_once(
    is_noticed: bool, all_well: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(["sleep", "600"]) as ended:
        ended.kill()
        # Waits for its end, and leaves it for its parent to notice.
        os.waitid(os.P_PID, ended.pid, os.WEXITED | (0 if is_noticed else os.WNOWAIT))
        _assert_told(ended.pid, monkeypatch)


def _assert_told(pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: pid)
    heartbeat_write("worker", now=timezone.now().timestamp())
    code, rows = doctor()
    assert code == 1
    assert rows["worker"].startswith("BAD last seen 0 s ago; its process has ended. Remedy: start it: celery")


@pytest.mark.django_db
def test_a_site_with_people_and_without_a_backup_is_not_well(
    all_well: None, make_study: Callable[..., Study]
) -> None:
    study = make_study()
    Study.objects.update(is_simulated=True)
    assert doctor()[1]["backup"] == "ok not needed yet: no study of real people is locked"
    Study.objects.filter(pk=study.pk).update(is_simulated=False)
    code, rows = doctor()
    assert code == 1
    assert rows["backup"].startswith(
        "BAD none taken with manage.py backup; others are not seen from here. Remedy: run"
    )
    backup_note(now=timezone.now())
    assert doctor()[0] == 0


@pytest.mark.django_db
def test_a_clock_that_is_not_believed_is_told(all_well: None) -> None:
    now = timezone.now()
    ClockWatch.objects.create(pk=1, at=now, proven_at=now, held_since=now, held_seconds=3600)
    code, rows = doctor()
    assert code == 1
    assert rows["belief in it"].startswith("BAD not believed since ")
    assert "+3,600 s" in rows["belief in it"]


@pytest.mark.django_db
def test_judges_keys_are_told_by_the_names_of_their_variables_only(
    all_well: None, make_judge: Callable[..., JudgeConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("whole", "unbound", "unset"):
        make_judge("https://judge.example.org/v1", name, key_variable=f"CHIRON_JUDGE_KEY_{name.upper()}")
    make_judge("https://judge.example.org/v1", "foreign", key_variable="DATABASE_URL")
    monkeypatch.setenv("CHIRON_JUDGE_KEY_WHOLE", SECRET)
    monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_WHOLE", "https://judge.example.org/")
    monkeypatch.setenv("CHIRON_JUDGE_KEY_UNBOUND", SECRET)
    code, rows = doctor()
    assert code == 1
    assert rows["key of whole"] == "ok CHIRON_JUDGE_KEY_WHOLE is set, for https://judge.example.org"
    for judge, remedy in {
        "unbound": "sets CHIRON_JUDGE_ORIGIN_UNBOUND=https://judge.example.org beside it",
        "unset": "The environment variable CHIRON_JUDGE_KEY_UNSET is not set here",
        "foreign": "names DATABASE_URL as the variable of its key, which does not begin with",
    }.items():
        assert rows[f"key of {judge}"].startswith("BAD not usable. Remedy: ")
        assert remedy in rows[f"key of {judge}"]
    assert SECRET not in str(rows)


def test_where_everything_is_down_each_row_says_what_to_do_and_none_holds_a_secret(tmp_path: Path) -> None:
    code, said = asked({**DOWN, "CHIRON_DATA_DIR": str(tmp_path)})
    rows = rows_of(said)
    assert code == 1
    assert SECRET not in said
    for part in ("database", "broker", "worker", "beat", "mail", "static files", "judges' keys"):
        assert rows[part].startswith("BAD "), said
        assert ". Remedy: " in rows[part]


def test_an_empty_site_is_told_to_migrate(tmp_path: Path) -> None:
    environment = {"CHIRON_DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
    code, said = asked(environment)
    assert code == 1
    assert rows_of(said)["migrations"].endswith("not applied. Remedy: run: python manage.py migrate")


def test_a_clock_an_hour_ahead_of_the_database_is_told(child_environment: dict[str, str]) -> None:
    if connection.vendor != "postgresql" or not shutil.which("faketime"):
        pytest.skip("needs PostgreSQL, whose clock is its own, and Debian's faketime")
    _, said = asked(child_environment, "faketime", "-f", "+1h")
    found = re.match(r"BAD ([\d.,]+) s ahead of", rows_of(said)["clock"])
    assert found, said
    assert abs(float(found[1].replace(",", "")) - 3600) < 30
