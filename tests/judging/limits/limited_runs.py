"""Runs of a judge with limits, and the server's log of them."""

from datetime import datetime

from django.utils import timezone

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import JudgeConfig, JudgingRun, ScoringRun, WorkerLease
from judging.services.running.claims import lease_begin


def judge_of(server: RunningJudge, **fields: object) -> JudgeConfig:
    told: dict[str, object] = {"slug": "judge", "model": "judge-1", "provider": "generic", **fields}
    return JudgeConfig.objects.create(base_url=server.url, created_at=timezone.now(), **told)


def scoring_run(run: JudgingRun) -> ScoringRun:
    first = run.rows.select_related("run__study", "run__config").order_by("pk")[0]
    return first.run


def begun(run: JudgingRun, *, wanted: int = 16, now: datetime | None = None) -> WorkerLease:
    scored = scoring_run(run)
    lease = lease_begin(judging_run=run, run=scored, wanted=wanted, now=now or timezone.now())
    assert lease is not None
    lease.run, lease.judge = scored, scored.config
    return lease
