"""A run that the release before had half judged goes on: nothing is asked twice, and what was spent stays."""

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Sum
from django.utils import timezone

from benchmarks.hashed_judge.log import repeats
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun
from judging.services.running.coordinating import run_coordinate
from judging.services.running.own import judge_work
from tests.upgrades.databases import FIRST, Databases
from tests.upgrades.states import landed, rendered_when_read
from tests.upgrades.upgrade import kept_rows, rows_insert, state_of

BEFORE = ("judging", "0004_counts_of_runs")
SET_ASIDE = Decimal("0.75")
PAID_A_CALL = Decimal("0.01")
PRICES = {"input_price": Decimal(1), "output_price": Decimal(1), "max_output_tokens": 400}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "log", latency_ms=5) as running:
        yield running


def test_a_run_half_judged_by_the_release_before_goes_on(databases: Databases, server: RunningJudge) -> None:
    with databases.copy_of(databases.at(FIRST)):
        rows_insert(state_of(FIRST), kept_rows(FIRST))
        executor = MigrationExecutor(connection)
        leaves = executor.loader.graph.leaf_nodes()
        with rendered_when_read():
            executor.migrate([BEFORE if app == "judging" else (app, name) for app, name in leaves])
        left = half_judge(server.url, timezone.now())
        with rendered_when_read():
            call_command("migrate", verbosity=0)
        run = JudgingRun.objects.get(state="running")
        spent = PAID_A_CALL * (240 - left) + SET_ASIDE
        assert run.committed == spent
        judges = list(JudgeConfig.objects.all())
        while not run_coordinate(judging_run=run, now=timezone.now()):
            run.refresh_from_db()
            assert run.state == "running", run.pause_detail
            for judge in judges:
                judge_work(config=judge, seconds=20, stopping=threading.Event(), clock=timezone.now)
        run.refresh_from_db()
        assert set(CriterionScore.objects.filter(judging_run=run).values_list("state")) == {("scored",)}
        arrivals = server.settled()
        # Two judges with two replicates each ask the same, on purpose; nobody else does.
        assert len(arrivals) == left
        assert set(repeats(arrivals).values()) == {4}
        costs = JudgeCall.everything.filter(judging_run=run).aggregate(cost=Sum("cost"))["cost"]
        assert run.committed == costs
        assert spent < run.committed <= (run.budget or 0)
        [lost] = JudgeCall.objects.filter(outcome="lost")
        assert lost.cost == SET_ASIDE


def half_judge(url: str, now: datetime) -> int:
    """Make the kept run one that its release had in the middle, a worker just killed; how many rows are left.

    Every other row is open; of those some are claimed by the dead worker, whose lease holds money.
    """
    apps = landed(connection).project_state([BEFORE]).apps
    models: Any = {name: apps.get_model("judging", name)._base_manager for name in (
        "JudgeConfig", "JudgingRun", "CriterionScore", "JudgeCall", "WorkerLease",
    )}  # fmt: skip
    run = models["JudgingRun"].order_by("pk").first()
    # Another run had taken its verdicts from this one; they would be known.
    models["CriterionScore"].exclude(judging_run=run).delete()
    models["JudgeConfig"].update(base_url=url, **PRICES)
    rows = models["CriterionScore"].filter(judging_run=run)
    left = rows.filter(pk__in=[pk for pk in rows.values_list("pk", flat=True) if pk % 2])
    for row in left:
        calls = models["JudgeCall"].filter(judging_run=run, run=row.run_id, answer=row.answer_id)
        calls.filter(criterion=row.criterion_id).delete()
    lease, number = uuid4(), left.count()
    left.update(
        state="open", origin="", score=None, confidence=None, explanation="", decided_at=None,
        available_at=now,
    )  # fmt: skip
    models["JudgeCall"].filter(judging_run=run).update(cost=PAID_A_CALL)
    claimed = left.filter(pk__in=list(left.values_list("pk", flat=True)[:20]))
    claimed.update(lease=lease, starts=1, available_at=now + timedelta(seconds=1))
    models["WorkerLease"].create(
        token=lease, run_id=claimed.first().run_id, judging_run=run, slots=16, reserved=SET_ASIDE,
        judge=models["JudgeConfig"].first(), started_at=now, leased_until=now + timedelta(seconds=1),
    )  # fmt: skip
    models["JudgingRun"].filter(pk=run.pk).update(
        state="running", ended_at=None, counts=None, budget=Decimal(10)
    )
    return int(number)
