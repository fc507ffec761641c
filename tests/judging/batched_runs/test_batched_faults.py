"""Calls that decide several criteria: retried, left unscored, and killed."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from benchmarks.hashed_judge.log import repeats
from benchmarks.hashed_judge.running import judge_server
from judging.models import AnswerScore, JudgeCall, JudgeConfig, JudgingRun
from studies.models import Participant, Study
from tests.judging.batched_runs.batched_rows import OPEN, SCORED, UNSCORED, states

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[3]
Start = Callable[..., JudgingRun]


def test_faults_that_pass_leave_no_criterion_without_a_score(
    study: Study, make_judge: Callable[..., JudgeConfig], person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], tmp_path: Path, settings: Settings,
) -> None:  # fmt: skip
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    kinds = ("status_503", "truncated", "off_schema", "out_of_range", "not_json", "closed", "empty")
    for number in range(6):
        person(f"answer {number}")
    with judge_server(log=tmp_path / "faulty.log", faults=0.3, fault_kinds=kinds, faults_at_most=1) as faulty:
        run = finish(start(study, make_judge(faulty.url)))
        assert sum(faulty.stats()["faults"].values()) > 0
    assert states(run) == {(SCORED, "asked"): 24, (SCORED, "shared"): 30}
    assert JudgeCall.objects.exclude(outcome="ok").exists()
    assert JudgeCall.objects.filter(outcome="ok").count() == 24


def test_a_reply_that_stays_wrong_leaves_its_whole_group_unscored_and_only_that(
    study: Study, make_judge: Callable[..., JudgeConfig], person: Callable[[str], Participant], start: Start,
    finish: Callable[[JudgingRun], JudgingRun], tmp_path: Path, settings: Settings,
) -> None:  # fmt: skip
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    for number in range(8):
        person(f"answer {number}")
    with judge_server(log=tmp_path / "faulty.log", permanent=0.2, seed=3) as faulty:
        judge = make_judge(faulty.url)
        run = finish(start(study, judge))
    groups: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for row in run.rows.all():
        key = (row.answer_id, row.request_sha256)
        groups.setdefault(key, set()).add((row.state, row.unscored_reason))
    assert {len(found) for found in groups.values()} == {1}
    reasons = Counter(reason for [(_, reason)] in groups.values())
    assert set(reasons) == {"", "reply_refused", "reply_off_schema"}
    failed = [answer for (answer, _), [(state, _)] in groups.items() if state == UNSCORED]
    unscored = AnswerScore.objects.filter(score=None).values_list("answer", flat=True)
    assert set(unscored) == set(failed)
    # The next run asks about the groups without a verdict, and about nothing else.
    with judge_server(log=tmp_path / "mended.log", latency_ms=1) as mended:
        JudgeConfig.objects.filter(pk=judge.pk).update(base_url=mended.url)
        judge.refresh_from_db()
        finish(start(study, judge))
        assert len(mended.arrivals()) == len(failed)
    assert AnswerScore.objects.filter(score__isnull=False).count() == 24


def test_a_killed_worker_leaves_no_group_in_halves(
    study: Study, make_judge: Callable[..., JudgeConfig], person: Callable[[str], Participant],
    finish: Callable[[JudgingRun], JudgingRun], tmp_path: Path, child_environment: dict[str, str],
) -> None:  # fmt: skip
    concurrency = 4
    for number in range(15):
        person(f"answer {number}")
    with judge_server(log=tmp_path / "judge.log", latency_ms=60) as server:
        make_judge(server.url, concurrency=concurrency)
        command = [sys.executable, "manage.py", "compare_batched", study.slug]
        command += ["--judge", "judge", "--criteria-per-call", "3", "--answers", "30"]
        worker = subprocess.Popen(command, cwd=ROOT, env=child_environment, start_new_session=True)
        try:
            wait_for(lambda: JudgeCall.objects.count() >= 30)
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait(timeout=10)
        run = JudgingRun.objects.get()
        assert run.rows.filter(state=OPEN).exists()
        require_whole_groups(run)
        # The clock of this process is past the lease of the killed one.
        finish(run)
        assert run.state == "finished"
        assert not run.rows.exclude(state=SCORED).exists()
        require_whole_groups(run)
        asked = repeats(server.arrivals())
    # 15 answers with five criteria, 15 with three: one by one, and three at a time.
    assert len(asked) == 120 + 45
    assert sum(times - 1 for times in asked.values()) <= concurrency
    assert JudgeCall.objects.filter(outcome="ok").count() == 165


def require_whole_groups(run: JudgingRun) -> None:
    """Every call's rows are decided together or not at all."""
    groups: dict[str, set[str]] = {}
    for key, state in run.rows.values_list("request_sha256", "state"):
        groups.setdefault(key, set()).add(state)
    assert {len(found) for found in groups.values()} == {1}


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)
