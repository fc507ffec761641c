"""A judge that is down is told from answers that fail."""

from collections.abc import Callable
from datetime import datetime

import pytest

from batches.models import Session
from judging.judges.interface import JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import AnswerScore, JudgeConfig, JudgingRun
from judging.services.running.breaker import AGAINST_ENDPOINT
from studies.models import Participant, Study
from tests.judging.scoring.judged_answers import ANSWERS, answers, fails, prompt, scores
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun, requests_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Work = Callable[..., Session]
Person = Callable[..., Participant]


def test_a_dead_judge_is_not_asked_thousands_of_times(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(5):
        work(person(), answers(number))
    dead = fails(UnscoredReason.SERVER_FAILED)
    run.judge(dead)
    paused = JudgingRun.objects.get()
    assert (paused.state, paused.pause_reason) == ("paused", "judge_failing")
    assert paused.pause_detail == "The judge gave no verdict 16 times in a row. It failed."
    assert len(dead.asked) == AGAINST_ENDPOINT.failures == 16
    run.judge(ScriptedJudge())
    assert set(AnswerScore.objects.values_list("score", flat=True)) == {0.5}
    assert AnswerScore.objects.count() == 20


def test_a_wrong_key_is_believed_of_three_answers(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(5):
        work(person(), {"p4": f"42 {number}"})
    judge = fails(UnscoredReason.ACCESS_DENIED)
    run.judge(judge)
    assert JudgingRun.objects.get().state == "paused"
    assert len(judge.asked) == 3


def test_a_judge_that_is_down_is_noticed_with_a_single_answer(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p4": "42"})
    judge = fails(UnscoredReason.ACCESS_DENIED)
    run.judge(judge)
    assert len(judge.asked) == 1
    assert (JudgingRun.objects.get().state, scores()) == ("paused", {})


@pytest.mark.parametrize("reason", [UnscoredReason.REQUEST_REJECTED, UnscoredReason.TIMED_OUT])
def test_an_answer_that_fails_every_time_keeps_nobody_from_the_results(
    reason: UnscoredReason, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), ANSWERS)
    for _ in range(3):
        state = run.judge(fails(reason, ("p4", None)))
        assert (state.scored, state.unscored) == (3, {reason.value: 1})
    assert set(JudgingRun.objects.values_list("state", flat=True)) == {"finished"}


@pytest.mark.parametrize("reason", sorted(set(UnscoredReason) - {UnscoredReason.NO_LONGER_COUNTS}))
def test_only_a_failure_that_fails_all_makes_a_dead_judge_of_an_answer_that_failed_before(
    reason: UnscoredReason, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p3": "red", "p4": "42"})
    run.judge(fails(UnscoredReason.REPLY_REFUSED, ("p4", None)))
    second = fails(reason)
    run.judge(second)
    newest = JudgingRun.objects.latest("pk")
    assert set(second.asked) == {("p4", None, "42")}
    if reason.rule.fails_all:
        assert (newest.state, len(second.asked)) == ("paused", 1)
    else:
        assert (newest.state, scores()["p4"]) == ("finished", reason.value)
        assert len(second.asked) == requests_of(reason)


def test_a_person_whose_every_answer_fails_is_no_dead_judge(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p3": "too much for the judge", "p4": "too much for it"})
    for number in range(5):
        work(person(), answers(number))

    def overwhelmed(task: JudgeTask, position: int | None) -> UnscoredReason | None:
        return UnscoredReason.TIMED_OUT if "too much" in task.answer else None

    assert run.judge(ScriptedJudge(overwhelmed)).unscored == {"timed_out": 2}
    assert JudgingRun.objects.get().state == "finished"


def test_an_answer_with_many_criteria_is_no_dead_judge(
    make_study: Callable[..., Study],
    make_person: Person,
    work: Work,
    config: JudgeConfig,
    without_waits: None,
    running_clock: Callable[[], datetime],
) -> None:
    words = [f"word{n}" for n in range(20)]
    study = make_study(prompts=[prompt(1, *words), prompt(2, "red")])
    work(make_person(study), {"p1": "red", "p2": "red"})
    many = ScriptedJudge(lambda task, position: UnscoredReason.TIMED_OUT if task.prompt_id == "p1" else None)
    state = ScriptedRun(study, config, running_clock).judge(many)
    assert (state.scored, state.unscored) == (1, {"timed_out": 1})


def test_bad_replies_in_a_row_are_no_dead_judge(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(10):
        work(person(), {"p3": f"blue {number}", "p4": f"42 {number}"})
    assert run.judge(fails(UnscoredReason.REPLY_OFF_SCHEMA)).unscored == {"reply_off_schema": 20}
