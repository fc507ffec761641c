"""Runs of a judge with limits, and the server's log of them."""

from django.utils import timezone

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import JudgeConfig


def judge_of(server: RunningJudge, **fields: object) -> JudgeConfig:
    told: dict[str, object] = {"slug": "judge", "model": "judge-1", "provider": "generic", **fields}
    return JudgeConfig.objects.create(base_url=server.url, created_at=timezone.now(), **told)
