"""Runs with a budget, and what a server's own count of tokens costs."""

import threading
from collections.abc import Iterable
from decimal import Decimal

from django.db.models import Sum
from django.utils import timezone

from benchmarks.hashed_judge.log import Arrival
from benchmarks.hashed_judge.running import RunningJudge
from judging.models import JudgeCall, JudgeConfig, JudgingRun, ScoringRun
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.own import judge_work
from judging.services.running.runs import run_plan, run_start
from studies.models import Study

PRICES = {"input_price": Decimal(2), "output_price": Decimal(8), "max_output_tokens": 400}


def judge_of(server: RunningJudge, slug: str = "judge", **fields: object) -> JudgeConfig:
    told = {"slug": slug, "model": slug, "provider": "generic", **PRICES, **fields}
    return JudgeConfig.objects.create(base_url=server.url, created_at=timezone.now(), **told)


def started(study: Study, *judges: JudgeConfig, budget: str | None) -> JudgingRun:
    plan = run_plan(
        study=study,
        specs=study_judge_specs(study=study, configs=judges),
        now=timezone.now(),
        progress=lambda done, total: None,
    )
    amount = None if budget is None else Decimal(budget)
    return run_start(plan=plan, budget=amount, actor=None, now=timezone.now())


def scoring_runs(run: JudgingRun) -> list[ScoringRun]:
    pks = run.rows.values("run").distinct()
    return list(ScoringRun.objects.filter(pk__in=pks).select_related("study", "config").order_by("pk"))


def worked(run: JudgingRun, *, seconds: float = 30.0) -> JudgingRun:
    """An owner for each judge, one after the other."""
    for scored in scoring_runs(run):
        assert scored.config is not None
        judge_work(config=scored.config, seconds=seconds, stopping=threading.Event(), clock=timezone.now)
    return JudgingRun.objects.get(pk=run.pk)


def cost_on_record(run: JudgingRun) -> Decimal:
    """Of all requests, those under way at their worst: what the run has committed."""
    cost = JudgeCall.everything.filter(judging_run=run).aggregate(cost=Sum("cost"))["cost"] or Decimal(0)
    run.refresh_from_db()
    assert run.committed == cost
    return cost


def charged(server: RunningJudge, *judges: JudgeConfig) -> Decimal:
    """What the server's own count of tokens comes to at the judges' prices."""
    arrivals = server.settled()
    return sum((paid(arrivals, judge) for judge in judges), Decimal(0))


def paid(arrivals: Iterable[Arrival], judge: JudgeConfig) -> Decimal:
    own = [one for one in arrivals if one.model == judge.model and one.status == 200]
    prompts, replies = sum(one.prompt_tokens for one in own), sum(one.completion_tokens for one in own)
    return ((judge.input_price or 0) * prompts + (judge.output_price or 0) * replies) / Decimal(1_000_000)
