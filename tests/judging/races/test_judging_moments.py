"""What happens to a judging run while a clock is wrong, people leave, and endpoints talk."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError

from batches.services.ending import session_withdraw
from judging.judges.interface import JudgeTask
from judging.models import CriterionScore, JudgeCall, JudgingRun, PauseReason
from judging.services.running import work
from judging.services.running.breaker import sentence
from judging.services.running.runs import run_pause, scoring_runs_of
from judging.services.running.settling import answers_settle
from judging.services.running.work import JudgeLoop
from llm.error_replies import error_status
from llm.errors import Received
from operations.services.erasure import withdrawn_erase
from studies.models import Participant
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun
from tests.support.stepped_judge import Owner, SteppedClock

MakeOwner = Callable[[ScriptedJudge], Owner]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_an_answer_is_scored_at_the_end_though_a_clock_was_an_hour_ahead(
    scripted: ScriptedRun, run: JudgingRun, now: datetime
) -> None:
    """The first look came from a machine whose clock was ahead; what a resumption mended seemed older."""
    rows = CriterionScore.objects.filter(judging_run=run)
    rows.update(state="unscored", unscored_reason="timed_out", origin="asked", decided_at=now)
    run_pause(run=run, reason=PauseReason.JUDGE_FAILING, detail="", now=now)
    for scored in scoring_runs_of(run):
        answers_settle(judging_run=run, run=scored, now=now + timedelta(hours=1))
    assert scripted.judge(ScriptedJudge()).left == 0


def test_nothing_of_a_deleted_answer_comes_back_by_a_call_that_was_under_way(
    owner: MakeOwner, people: list[Participant], clock: SteppedClock
) -> None:
    """The first two share a call; both leave, and their data are deleted before it comes home."""
    asking = owner(ScriptedJudge())
    asking.turn()
    for person in people:
        session_withdraw(participant=person, now=clock())
    assert withdrawn_erase(now=clock() + timedelta(days=400)) == 3
    asking.pool.finish()
    asking.loop.store()
    assert set(CriterionScore.objects.values_list("explanation", flat=True)) == {""}
    assert list(JudgeCall.objects.values_list("raw_reply", "completion_tokens")) == [("", 5)] * 2


def test_who_shared_a_call_with_somebody_who_is_deleted_still_gets_the_verdict(
    owner: MakeOwner, people: list[Participant], clock: SteppedClock
) -> None:
    asking = owner(ScriptedJudge())
    asking.turn()
    session_withdraw(participant=people[1], now=clock())
    withdrawn_erase(now=clock() + timedelta(days=400))
    asking.pool.finish()
    asking.loop.store()
    explanations = dict(CriterionScore.objects.values_list("answer__session__participant", "explanation"))
    assert explanations == {people[0].pk: "It is good.", people[1].pk: "", people[2].pk: "It is good."}


def test_why_a_run_pauses_does_not_quote_what_an_endpoint_says_about_an_answer(
    scripted: ScriptedRun, run: JudgingRun, now: datetime
) -> None:
    received = Received(status=400, raw='{"error": "cannot tokenize: the same"}')
    error = error_status(received, {}, endpoint="http://judge", now=now, with_schema=False)
    rows = CriterionScore.objects.filter(judging_run=run)
    rows.update(
        state="unscored",
        unscored_reason=error.reason,
        explanation=str(error),
        origin="asked",
        decided_at=now,
    )
    why = sentence(run, scripted.scoring_run, 16)
    assert "the same" in str(error)
    assert why == (
        "The judge gave no verdict 16 times in a row. http://judge answered with status 400: "
        "it does not accept this request; check the model's name and the parameters."
    )


def test_an_owner_that_cannot_renew_its_lease_leaves_no_thread_and_loses_no_verdict(
    scripted: ScriptedRun, run: JudgingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(loop: JudgeLoop, now: datetime) -> None:
        if slow.asked:
            is_away.set()
            raise OperationalError("the database is away")
        renew(loop, now)

    def says(task: JudgeTask, position: int | None) -> None:
        assert is_away.wait(60)

    renew, is_away = JudgeLoop._renew, threading.Event()
    slow = ScriptedJudge(says=says)
    monkeypatch.setattr(JudgeLoop, "_renew", away)
    monkeypatch.setattr(work, "lease_time", lambda: timedelta(seconds=3))
    before = set(threading.enumerate())
    with pytest.raises(OperationalError), ThreadPoolExecutor(2) as pool:
        scripted.work(run, slow, at_once=2, pool=pool)
    assert set(threading.enumerate()) <= before
    assert len(slow.asked) == CriterionScore.objects.filter(asked_with=None, state="scored").count() > 0
