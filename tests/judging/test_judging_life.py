"""The life of a judging run: planned whole or not at all, paused, resumed, cancelled, one at a time."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, connection

from batches.models import Session
from judging.models import AnswerScore, CriterionScore, JudgeConfig, JudgingRun, PauseReason
from judging.selectors.runs import open_runs
from judging.services.running import run_rows, runs
from judging.services.running.coordinating import remaining_of
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import (
    DRAFT_FOR,
    PlanOutdated,
    RunIsOpen,
    RunNotOpen,
    RunPlan,
    draft_remove,
    drafts_clear,
    run_cancel,
    run_pause,
    run_plan,
    run_resume,
    run_start,
)
from scoring.coordinator import Scoring
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, StudyEvent
from studies.services.database import values_insert
from tests.support.killed_start import start_killed
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PROMPTS = [PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n)) for n in (1, 2, 3, 4)]
ANSWERS = {f"p{n}": f"It is {n}." for n in (1, 2, 3, 4)}


@pytest.fixture
def study(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Callable[..., Session]
) -> Study:
    study = make_study(prompts=PROMPTS, replicates_per_profile=50)
    work(make_person(study), ANSWERS)
    return study


@pytest.fixture
def scripted(
    study: Study, make_judge: Callable[..., JudgeConfig], running_clock: Callable[[], datetime]
) -> ScriptedRun:
    return ScriptedRun(study, make_judge("http://127.0.0.1:9/v1"), running_clock)


@pytest.fixture
def plan(scripted: ScriptedRun, now: datetime) -> Callable[[], RunPlan]:
    def make() -> RunPlan:
        specs = [JudgeSpec(scripted.config)]
        return run_plan(study=scripted.study, specs=specs, now=now, progress=lambda done, total: None)

    return make


def start(plan: RunPlan, now: datetime) -> JudgingRun:
    return run_start(plan=plan, budget=None, actor=None, now=now)


def kinds() -> list[str]:
    return [
        kind for kind in StudyEvent.objects.order_by("pk").values_list("kind", flat=True) if "judging" in kind
    ]


def test_a_study_is_judged_by_one_run_at_a_time(plan: Callable[[], RunPlan], now: datetime) -> None:
    first, second = plan(), plan()
    run = start(first, now)
    with pytest.raises(RunIsOpen, match="is being judged already"):
        start(second, now)
    assert list(JudgingRun.objects.all()) == open_runs() == [run]
    assert CriterionScore.objects.count() == 4


def test_a_plan_that_another_run_has_overtaken_is_not_started(
    plan: Callable[[], RunPlan], scripted: ScriptedRun, now: datetime
) -> None:
    outdated = plan()
    scripted.judge(ScriptedJudge())
    with pytest.raises(PlanOutdated, match="was judged while this was being planned; plan it again"):
        start(outdated, now)
    assert JudgingRun.objects.count() == 1
    assert plan().rows == 0


def test_a_plan_is_stored_whole_or_not_at_all(plan: Callable[[], RunPlan], now: datetime) -> None:
    broken = plan()
    file = broken.judge_plans[0].file
    first = next(file.own_rows())
    file.calls_add([(99, None, 0, 99, False)], [(99, True, *first[3:])])
    with pytest.raises(IntegrityError):
        start(broken, now)
    assert (JudgingRun.objects.count(), CriterionScore.objects.count(), kinds()) == (0, 0, [])


def test_a_start_that_was_killed_leaves_nothing_to_see_and_gives_way(
    plan: Callable[[], RunPlan], study: Study, child_environment: dict[str, str], now: datetime
) -> None:
    planned = plan()
    start_killed(child_environment, study.slug, after=2, now=now)
    assert (list(JudgingRun.objects.all()), open_runs(), kinds()) == ([], [], [])
    assert CriterionScore.objects.count() == 2
    with pytest.raises(RunIsOpen, match="is being started at this moment"):
        start(planned, now)
    run = start(planned, now + 2 * DRAFT_FOR)
    assert open_runs() == [run]
    assert run.rows.count() == CriterionScore.objects.count() == 4
    assert kinds() == ["judging_started"]


def test_what_a_killed_start_left_is_cleared(
    plan: Callable[[], RunPlan], study: Study, child_environment: dict[str, str], now: datetime
) -> None:
    start_killed(child_environment, study.slug, after=3, now=now)
    drafts_clear(before=now)
    assert CriterionScore.objects.count() == 3
    drafts_clear(before=now + 2 * DRAFT_FOR)
    assert (JudgingRun.everything.count(), CriterionScore.objects.count()) == (0, 0)
    assert start(plan(), now).rows.count() == 4


def test_a_start_is_alive_however_long_it_clears_what_another_left(
    plan: Callable[[], RunPlan],
    study: Study,
    child_environment: dict[str, str],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned, begun = plan(), now + 2 * DRAFT_FOR
    start_killed(child_environment, study.slug, after=2, now=now)
    cleared: list[JudgingRun] = []
    heard_of: list[datetime] = []

    def remove(draft: JudgingRun, *, now: datetime) -> None:
        cleared.append(draft)
        draft_remove(draft, now=now)

    def insert(*rows: Any) -> Callable[[], None]:
        heard_of.append(JudgingRun.everything.get().resumed_at)
        return values_insert(*rows)

    monkeypatch.setattr(runs, "draft_remove", remove)
    monkeypatch.setattr(runs, "time", SimpleNamespace(monotonic=lambda: 300.0 * len(cleared)))
    monkeypatch.setattr(run_rows, "values_insert", insert)
    start(planned, begun)
    assert set(heard_of) == {begun + timedelta(minutes=5)}


def test_a_start_beside_one_that_breaks_off_at_this_moment_is_refused(
    plan: Callable[[], RunPlan], study: Study, child_environment: dict[str, str], now: datetime
) -> None:
    planned = plan()
    start_killed(child_environment, study.slug, after=2, now=now)
    in_the_way: list[str] = []

    def breaks_off(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if in_the_way:
            in_the_way.clear()
            draft_remove(JudgingRun.everything.get(), now=now)
        try:
            return execute(sql, *rest)
        except IntegrityError:
            in_the_way.append(sql)
            raise

    with connection.execute_wrapper(breaks_off), pytest.raises(RunIsOpen, match="at this moment"):
        start(planned, now)
    assert start(planned, now).rows.count() == 4


@pytest.mark.parametrize("step", ["values_insert", "_keys"])
def test_a_start_that_was_taken_for_dead_is_refused(
    step: str, plan: Callable[[], RunPlan], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = plan(), plan()
    started: list[JudgingRun] = []
    usual = getattr(run_rows, step)

    def late(*arguments: Any) -> Any:
        if not started:
            started.append(JudgingRun.everything.get())
            started.append(start(second, now + 2 * DRAFT_FOR))
        return usual(*arguments)

    monkeypatch.setattr(run_rows, step, late)
    with pytest.raises(PlanOutdated):
        start(first, now)
    assert open_runs() == [started[1]]
    assert CriterionScore.objects.count() == 4
    assert kinds() == ["judging_started"]


def test_a_paused_run_asks_nothing_and_a_resumed_one_the_rest(scripted: ScriptedRun, now: datetime) -> None:
    scripted.judge(ScriptedJudge(stops_after=1))
    run = JudgingRun.objects.get()
    assert run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=now)
    assert not run_pause(run=run, reason=PauseReason.BUDGET, detail="", now=now)
    assert remaining_of(run, scripted.clock()) == []
    idle = ScriptedJudge()
    assert scripted.work(run, idle) == 0
    assert idle.asked == []
    run_resume(run=run, budget=None, actor=None, now=now)
    with pytest.raises(RunNotOpen, match="Only a paused run can be resumed"):
        run_resume(run=run, budget=None, actor=None, now=now)
    rest = ScriptedJudge()
    scripted.judge(rest)
    run.refresh_from_db()
    assert (run.state, run.pause_reason, len(rest.asked)) == ("finished", "", 3)
    assert kinds() == ["judging_started", "judging_paused", "judging_resumed", "judging_finished"]


def test_a_cancelled_run_keeps_what_is_decided_and_the_next_one_asks_the_rest(
    scripted: ScriptedRun, now: datetime
) -> None:
    scripted.judge(ScriptedJudge(stops_after=3))
    run = JudgingRun.objects.get()
    run_cancel(run=run, actor=None, now=now)
    with pytest.raises(RunNotOpen, match="This run is over already"):
        run_cancel(run=run, actor=None, now=now)
    with pytest.raises(RunNotOpen):
        run_resume(run=run, budget=None, actor=None, now=now)
    rest = ScriptedJudge()
    assert scripted.judge(rest).scored == 4
    assert len(rest.asked) == 1
    assert set(JudgingRun.objects.values_list("state", flat=True)) == {"cancelled", "finished"}


def test_what_a_cancelled_run_left_without_a_score_is_scored_from_its_verdicts(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> None:
    study = make_study(prompts=PROMPTS, judge_kind="checks", top_size=1)
    work(make_person(study), ANSWERS)
    score(study)
    AnswerScore.objects.all().delete()
    JudgingRun.objects.update(state="cancelled")
    assert score(study).judges[0].judging.scored == 4
    assert JudgingRun.objects.count() == 1


def test_two_at_once_score_everything_once(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> None:
    study = make_study(prompts=PROMPTS, judge_kind="checks", top_size=1, replicates_per_profile=50)
    for _ in range(10):
        work(make_person(study), ANSWERS)
    done: list[int] = []

    def judge() -> None:
        done.append(score(Study.objects.get(pk=study.pk)).judges[0].judging.scored)
        connection.close()

    threads = [threading.Thread(target=judge) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done == [40, 40, 40]
    assert CriterionScore.objects.filter(state="scored").count() == CriterionScore.objects.count() == 40
    assert set(JudgingRun.objects.values_list("state", flat=True)) == {"finished"}
