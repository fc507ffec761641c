"""What happens to a judging run in the moment between two steps: outages, crashes, several at once."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import psycopg
import pytest
from django.db import connection, transaction
from pytest_django import Settings

from batches.models import Answer, Session
from judging.judges.course import ROUNDS
from judging.judges.reasons import UnscoredReason
from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgeConfig, JudgingRun, PauseReason
from judging.services.running.coordinating import run_coordinate
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import (
    PlanOutdated,
    run_cancel,
    run_finish,
    run_pause,
    run_plan,
    run_resume,
    run_start,
)
from scoring.coordinator import judging_coordinate
from scoring.models import ResultSet
from screening.models import AnswerFlag
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun
from tests.support.stepped_judge import Owner, SteppedClock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PROMPTS = [PromptRecord(prompt_id="p1", text="Question?", gold_answer="1")]
Result = TypeVar("Result")
MakeOwner = Callable[[ScriptedJudge], Owner]


def with_own_connection(work: Callable[[], Result]) -> Result:
    try:
        return work()
    finally:
        connection.close()


def meanwhile(theirs: Callable[[], object], ours: Callable[[], Result]) -> Result:
    """`ours` comes while the transaction of `theirs` has done its work and is not yet at its end."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            theirs()
            coming = pool.submit(with_own_connection, ours)
            time.sleep(0.5)
        return coming.result(timeout=20)


def end_my_connection() -> None:
    """As a restart of the server would."""
    connection.ensure_connection()
    facts = connection.get_connection_params()
    names = ("dbname", "user", "host", "port", "password")
    with psycopg.connect(**{name: facts[name] for name in names if name in facts}) as other:
        other.execute(
            "SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid]
        ).fetchone()


def test_a_server_that_goes_away_while_verdicts_are_stored_is_waited_for(
    owner: MakeOwner, clock: SteppedClock
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite is no server")
    asking = owner(ScriptedJudge())
    asking.turn()
    asking.pool.finish()
    cut: list[str] = []

    def cut_off(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "UPDATE" in sql and CriterionScore._meta.db_table in sql and not cut:
            cut.append(sql)
            end_my_connection()
        return execute(sql, *rest)

    with connection.execute_wrapper(cut_off):
        asking.loop.store()
    assert len(cut) == 1
    assert set(JudgeCall.objects.values_list("outcome", flat=True)) == {"ok"}
    assert set(CriterionScore.objects.values_list("state", flat=True)) == {"scored"}


def test_a_run_that_is_resumed_while_it_ends_goes_on(run: JudgingRun, now: datetime) -> None:
    rows = CriterionScore.objects.filter(judging_run=run)
    rows.update(state="unscored", unscored_reason="timed_out", origin="asked", decided_at=now)
    run_pause(run=run, reason=PauseReason.JUDGE_FAILING, detail="", now=now)
    ended = meanwhile(
        lambda: run_resume(run=run, budget=None, actor=None, now=now), lambda: run_finish(run=run, now=now)
    )
    run.refresh_from_db()
    assert (ended, run.state) == (False, "running")
    assert set(rows.values_list("state", flat=True)) == {"open"}


def test_a_run_that_is_cancelled_while_calls_are_claimed_decides_nothing_more(
    run: JudgingRun, owner: MakeOwner, clock: SteppedClock
) -> None:
    """Between the look at the run and the look at its rows: the next run may plan them by then."""
    asking = owner(ScriptedJudge())
    with ThreadPoolExecutor(1) as pool:
        coming: list[Future[None]] = []

        def cancel(execute: Callable[..., object], sql: str, *rest: object) -> object:
            if "UPDATE" in sql and CriterionScore._meta.db_table in sql and not coming:
                cancelling = partial(run_cancel, run=run, actor=None, now=clock())
                coming.append(pool.submit(with_own_connection, cancelling))
                wait(coming, timeout=1)
            return execute(sql, *rest)

        with connection.execute_wrapper(cancel):
            asking.turn()
        coming[0].result(timeout=30)
    assert set(CriterionScore.objects.values_list("lease", flat=True)) == {None}
    asking.pool.finish()
    asking.loop.store()
    assert not CriterionScore.objects.exclude(state="open").exists()


def test_what_was_planned_while_a_run_went_on_is_not_started_after_it(
    scripted: ScriptedRun, run: JudgingRun, now: datetime
) -> None:
    specs = [JudgeSpec(scripted.config)]
    plan = run_plan(study=scripted.study, specs=specs, now=now, progress=lambda done, total: None)
    assert plan.rows == 3
    assert scripted.judge(ScriptedJudge()).left == 0
    with pytest.raises(PlanOutdated):
        run_start(plan=plan, budget=None, actor=None, now=now)


def test_rows_that_share_a_call_end_with_it_and_a_resumption_begins_their_rounds_anew(
    run: JudgingRun, owner: MakeOwner, clock: SteppedClock, settings: Settings
) -> None:
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    judge = ScriptedJudge(lambda task, position: UnscoredReason.ACCESS_DENIED)
    run.rows.filter(answer__text="another").delete()  # a judge that fails for everyone pauses the run
    JudgeConfig.objects.update(concurrency=1)
    asking = owner(judge)
    for _ in range(2):
        JudgingRun.objects.update(state="running", pause_reason="")
        asking.answered()
        clock.step(1.3)
    asking.pool.finish()
    asking.loop.store()
    asking.loop.close()
    before = len(judge.asked)
    assert 0 < before < ROUNDS
    run.refresh_from_db()
    run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=clock())
    run_resume(run=run, budget=None, actor=None, now=clock())
    judge.says = lambda task, position: UnscoredReason.REPLY_REFUSED
    again = owner(judge)
    again.turn()
    again.answered()
    assert len(judge.asked) == before + 1
    assert set(CriterionScore.objects.values_list("state", "unscored_reason")) == {
        ("unscored", "reply_refused")
    }
    assert run_coordinate(judging_run=run, now=clock())


def test_results_are_computed_by_the_next_look_where_the_process_that_ended_a_run_was_killed(
    scripted: ScriptedRun, run: JudgingRun, now: datetime
) -> None:
    scripted.judge(ScriptedJudge())
    run.refresh_from_db()
    assert (run.state, ResultSet.objects.count()) == ("finished", 0)
    ended = run.ended_at
    assert ended is not None
    judging_coordinate(clock=lambda: ended + timedelta(seconds=30))
    assert ResultSet.objects.count() == 0  # whoever ended it may be at it
    Answer.objects.update(text="idk")
    for _ in range(3):
        judging_coordinate(clock=lambda: ended + timedelta(minutes=5))
    assert list(ResultSet.objects.values_list("run", flat=True)) == [scripted.scoring_run.pk]
    assert AnswerFlag.objects.exists()  # screened first: who decides later has not seen these results


def test_a_run_that_cannot_be_brought_up_keeps_no_other_from_its_end(
    scripted: ScriptedRun,
    run: JudgingRun,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
) -> None:
    other = make_study(prompts=PROMPTS, batch_size=1)
    work(make_person(other), {"p1": "mine"})
    later = ScriptedRun(other, scripted.config, scripted.clock)
    second = later.start()
    assert second is not None
    CriterionScore.objects.filter(judging_run=run).update(
        state="unscored", unscored_reason="of a later version", origin="asked", decided_at=now
    )
    later.work(second, ScriptedJudge())
    judging_coordinate(clock=lambda: now)
    states = dict(JudgingRun.objects.values_list("pk", "state"))
    assert states == {run.pk: "running", second.pk: "finished"}


def test_a_cancelled_run_leaves_a_score_wherever_all_verdicts_are_in(
    scripted: ScriptedRun, run: JudgingRun, now: datetime
) -> None:
    scripted.work(run, ScriptedJudge(stops_after=1))
    assert AnswerScore.objects.count() == 0
    run_cancel(run=run, actor=None, now=now)
    assert AnswerScore.objects.filter(score=0.5).count() == 2
