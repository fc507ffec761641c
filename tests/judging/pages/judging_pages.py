"""The pages of a run: their addresses, a start, an end, their words."""

import re
from threading import Event
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.coordinator import run_work_through
from judging.models import JudgeConfig, JudgingRun, ScoringRun
from judging.services.running.own import judge_work

PEOPLE, PROMPTS, CRITERIA = 4, 2, 3
ROWS = PEOPLE * PROMPTS * CRITERIA


def page(**run: int) -> str:
    return reverse("staff_judging_run" if run else "staff_judging", kwargs={"slug": "judged", **run})


def action(name: str, run: JudgingRun) -> str:
    return reverse(f"staff_judging_{name}", args=["judged", run.pk])


def seen(content: str) -> str:
    return re.findall(r'name="seen" value="(\w*)"', content)[0]  # type: ignore[no-any-return]


def plan(*judges: JudgeConfig, **more: str) -> dict[str, Any]:
    return {"judges": [judge.slug for judge in judges], "replicates": "1", "budget": "", **more}


def start(client: Client, *judges: JudgeConfig, **more: str) -> JudgingRun:
    """Estimate, then start what was estimated."""
    wanted = plan(*judges, **more)
    estimate = client.post(page(), {**wanted, "action": "estimate"})
    assert estimate.status_code == 200
    named = seen(estimate.content.decode())
    response = client.post(page(), {**wanted, "action": "start", "seen": named})
    run = JudgingRun.objects.get()
    assert response["Location"] == page(number=run.pk)
    return run


def finish(run: JudgingRun) -> None:
    run_work_through(run=run, clock=timezone.now, progress=lambda done, total: None)
    run.refresh_from_db()


def words(content: str) -> str:
    """What is read on a page, in one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", content).split())


def ask_judge() -> None:
    """Own the only judge of the only scores for a while."""
    (scores,) = ScoringRun.objects.select_related("config")
    assert scores.config is not None
    judge_work(config=scores.config, seconds=20, stopping=Event(), clock=timezone.now)
