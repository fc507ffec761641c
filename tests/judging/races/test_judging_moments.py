"""What happens to a judging run while a clock is wrong, people leave, and endpoints talk."""

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError

from batches.services.ending import session_withdraw
from judging.judges.interface import CriterionVerdict, JudgeResult
from judging.models import CriterionScore, JudgeCall, JudgingRun, PauseReason, WorkerLease
from judging.services.running.breaker import sentence
from judging.services.running.claims import Claims
from judging.services.running.runs import run_pause, scoring_runs_of
from judging.services.running.settling import answers_settle
from judging.services.running.storing import result_store
from judging.services.running.working import WorkerLoop
from llm.attempts import Attempt
from llm.errors import Received
from llm.replies import error_status
from operations.services.erasure import withdrawn_erase
from studies.models import Participant
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun

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
    run: JudgingRun, begin: Callable[[datetime], WorkerLease], people: list[Participant], now: datetime
) -> None:
    """The first two share a call; both leave, and their data are deleted before it comes home."""
    at = now + timedelta(minutes=1)
    lease = begin(at)
    calls = Claims(lease, ScriptedJudge()).more(10, now=at)
    for person in people:
        session_withdraw(participant=person, now=at)
    assert withdrawn_erase(now=at + timedelta(days=400)) == 3
    for one in calls:
        call = Attempt("a" * 64, "model-1", "ok", "It says: the same", 10, 5, 1.5)
        late = JudgeResult((CriterionVerdict(None, 1.0, 1.0, "It says: the same"),), (call,))
        assert result_store(lease, one, late, now=at) is False
    assert set(CriterionScore.objects.values_list("explanation", flat=True)) == {""}
    assert list(JudgeCall.objects.values_list("raw_reply", "completion_tokens")) == [("", 5)] * 2


def test_who_shared_a_call_with_somebody_who_is_deleted_still_gets_the_verdict(
    run: JudgingRun, begin: Callable[[datetime], WorkerLease], people: list[Participant], now: datetime
) -> None:
    at = now + timedelta(minutes=1)
    lease = begin(at)
    calls = Claims(lease, ScriptedJudge()).more(10, now=at)
    session_withdraw(participant=people[1], now=at)
    withdrawn_erase(now=at + timedelta(days=400))
    late = JudgeResult((CriterionVerdict(None, 1.0, 1.0, "It says: the same"),), ())
    assert all(result_store(lease, one, late, now=at) for one in calls)
    said = dict(CriterionScore.objects.values_list("answer__session__participant", "explanation"))
    assert said == {
        people[0].pk: "It says: the same",
        people[1].pk: "",
        people[2].pk: "It says: the same",
    }


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


def test_a_slice_that_cannot_renew_its_lease_leaves_no_thread_and_loses_no_verdict(
    scripted: ScriptedRun, run: JudgingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object) -> None:
        if slow.asked:
            raise OperationalError("the database is away")

    slow = ScriptedJudge(says=lambda task, position: time.sleep(0.5))
    monkeypatch.setattr(WorkerLoop, "_renew_if_due", away)
    before = set(threading.enumerate())
    with pytest.raises(OperationalError):
        scripted.work(run, slow, threads=2)
    assert set(threading.enumerate()) <= before
    assert len(slow.asked) == CriterionScore.objects.filter(asked_with=None, state="scored").count() > 0
