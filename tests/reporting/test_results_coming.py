"""Between the end of a judging run and its results the page says that they are computed, and waits."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from judging.models import JudgingRun
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_cancel, run_plan, run_start
from scoring.models import ResultSet
from scoring.selectors.runs import results_are_coming
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db
COMING = "the results are being computed"


@pytest.fixture
def run(study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]) -> JudgingRun:
    """A run whose last verdict has just been stored."""
    work(make_person(study), {"p1": "41", "p2": "no"})
    specs, now = study_judge_specs(study=study, configs=[]), timezone.now()
    plan = run_plan(study=study, specs=specs, now=now, progress=lambda done, total: None)
    run = run_start(plan=plan, budget=None, actor=None, now=now)
    ended(run, seconds_ago=1)
    return run


def ended(run: JudgingRun, *, seconds_ago: float) -> None:
    at = timezone.now() - timedelta(seconds=seconds_ago)
    JudgingRun.objects.filter(pk=run.pk).update(state="finished", ended_at=at)


def page(client: Client) -> str:
    return " ".join(client.get(reverse("staff_results", args=["pages"])).text.split())


def test_results_that_come_soon_are_said_to_and_waited_for(staff: Client, run: JudgingRun) -> None:
    shown = page(staff)
    assert COMING in shown
    assert "data-waits" in shown
    assert "Go to judging" not in shown


def test_where_nobody_computes_them_the_page_does_not_wait_for_ever(staff: Client, run: JudgingRun) -> None:
    ended(run, seconds_ago=600)
    shown = page(staff)
    assert COMING not in shown
    assert "data-waits" not in shown
    assert "Nothing has been computed yet." in shown


def test_a_run_that_goes_on_or_was_cancelled_brings_no_results(staff: Client, run: JudgingRun) -> None:
    JudgingRun.objects.filter(pk=run.pk).update(state="running", ended_at=None)
    assert COMING not in page(staff)
    run.refresh_from_db()
    run_cancel(run=run, actor=None, now=timezone.now())
    assert COMING not in page(staff)


def test_nothing_is_waited_for_once_there_are_results(
    study: Study, measured_results: Callable[[Study], ResultSet]
) -> None:
    results = measured_results(study)
    at, second = results.computed_at, timedelta(seconds=1)
    runs = JudgingRun.objects.filter(study=study)
    assert runs.update(state="finished", ended_at=at) == 1
    assert not results_are_coming(study, at + 2 * second)
    runs.update(ended_at=at + second)
    assert results_are_coming(study, at + 2 * second)
