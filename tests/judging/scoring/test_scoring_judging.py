"""Judging stored answers: what is asked, and what is kept."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import numpy as np
import pytest

from batches.models import Session
from judging.judges.reasons import UnscoredReason
from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgingRun, ScoringRun
from judging.selectors.judging import counted_rows
from judging.services.running.judge_specs import JudgeSpec, scoring_run_open
from scoring.coordinator import Scoring
from scoring.selectors.cohorts import study_cohort
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.models import Participant, Study, User
from tests.judging.scoring.judged_answers import ANSWERS, PROMPTS, answers, fails, scores
from tests.support.headlines import estimate
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun, requests_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Work = Callable[..., Session]
Person = Callable[..., Participant]


def test_machine_checks_score_every_answer_that_is_there(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    work(make_person(checked), ANSWERS)
    state = score(checked).judges[0].judging
    assert scores() == {"p1": 1.0, "p2": 0.25, "p3": 0.0, "p4": 1.0}
    assert (state.answers, state.scored, state.unscored) == (4, 4, {})
    assert CriterionScore.objects.count() == 8
    assert CriterionScore.objects.get(criterion=None).explanation == "The answer equals the gold answer '42'."
    assert not JudgeCall.objects.exists()


def test_an_answer_that_is_not_there_is_never_judged(person: Person, work: Work, run: ScriptedRun) -> None:
    work(person(), {"p1": "red", "p2": "", "p3": " \u200b \n"})
    judge = ScriptedJudge()
    assert run.judge(judge).answers == 1
    assert {prompt_id for prompt_id, _, _ in judge.asked} == {"p1"}


def test_nobody_withdrawn_running_excluded_or_for_test_is_judged(
    study: Study, person: Person, work: Work, run: ScriptedRun, now: datetime
) -> None:
    study.settings["judge_excluded"] = False
    study.save()
    off_task = person()
    work(off_task, {"p1": "idk", "p2": "idk", "p3": "idk", "p4": "idk"})
    work(person(), ANSWERS, end="withdrawn")
    work(person(), ANSWERS, end="active")
    work(person(is_test=True), ANSWERS)
    study_screen(study=study, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    confirm = VerdictDecision.CONFIRM
    verdict_record(participant=off_task, decision=confirm, reason="Off-task.", actor=lead, now=now)
    judge = ScriptedJudge()
    assert run.judge(judge).answers == 0
    assert judge.asked == []
    assert not JudgingRun.objects.exists()
    assert not AnswerScore.objects.exists()


def test_answers_of_excluded_people_are_judged_and_in_no_estimate_but_that_without_exclusions(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring], now: datetime
) -> None:
    off_task = make_person(checked)
    work(off_task, {"p1": "idk", "p2": "idk", "p3": "idk", "p4": "idk"})
    work(make_person(checked), ANSWERS)
    study_screen(study=checked, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    confirm = VerdictDecision.CONFIRM
    verdict_record(participant=off_task, decision=confirm, reason="Off-task.", actor=lead, now=now)
    results = score(checked).judges[0].results
    assert AnswerScore.objects.filter(answer__session__participant=off_task, score__isnull=False).count() == 4
    average = estimate(results, "average")
    assert (average.participants, average.expected, average.pairs + average.unknown_items) == (1, 4, 4)
    cohort = study_cohort(results.run)
    assert (int((~np.isnan(cohort.p)).sum()), int((~np.isnan(cohort.retained.p)).sum())) == (8, 4)


@pytest.mark.parametrize(("rule", "counted"), [("saved_counts", 4), ("submitted_only", 0)])
def test_the_overdue_rule_decides_about_what_was_saved_when_time_ran_out(
    rule: str,
    counted: int,
    make_study: Callable[..., Study],
    make_person: Person,
    work: Work,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS, overdue_rule=rule, judge_kind="checks")
    work(make_person(study), ANSWERS, end="expired")
    run = scoring_run_open(study=study, spec=JudgeSpec(), now=now)
    assert len(list(counted_rows(run))) == counted


def test_a_judge_that_fails_leaves_the_answer_unscored_and_the_next_run_asks_only_for_that(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), ANSWERS)
    first = fails(UnscoredReason.TIMED_OUT, ("p2", 3))
    state = run.judge(first)
    requests = requests_of(UnscoredReason.TIMED_OUT)
    assert first.asked.count(("p2", 3, "red")) == requests
    assert len(first.asked) == 7 + requests
    assert scores() == {"p1": 0.5, "p2": "timed_out", "p3": 0.5, "p4": 0.5}
    assert (state.scored, state.unscored) == (3, {"timed_out": 1})
    failed = CriterionScore.objects.get(unscored_reason="timed_out")
    assert (failed.state, failed.score, failed.starts) == ("unscored", None, requests)
    assert ScoringRun.objects.get().finished_at is None

    second = ScriptedJudge()
    state = run.judge(second)
    assert second.asked == [("p2", 3, "red")]
    assert scores()["p2"] == 0.5
    assert (state.scored, state.unscored) == (4, {})
    assert CriterionScore.objects.filter(state="scored").count() == 8
    assert ScoringRun.objects.get().finished_at is not None
    assert run.start() is None


def test_a_failure_that_passes_is_asked_again_in_the_same_run(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p4": "42"})
    judge = ScriptedJudge()
    judge.says = lambda task, position: UnscoredReason.SERVER_FAILED if len(judge.asked) < 3 else None
    assert run.judge(judge).scored == 1
    assert len(judge.asked) == 3
    row = CriterionScore.objects.get()
    assert (row.state, row.starts, row.unscored_reason) == ("scored", 3, "")


def test_every_call_is_on_record_and_a_retry_forgets_none(
    study: Study, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p4": "42"})
    run.judge(fails(UnscoredReason.REPLY_REFUSED))
    run.judge(ScriptedJudge())
    calls = JudgeCall.objects.order_by("pk")
    assert [(call.outcome, call.model, call.raw_reply) for call in calls] == [
        ("reply_refused", "model-1", "raw"),
        ("ok", "model-1", "raw"),
    ]
    assert study.judge_protocol is not None
    assert set(JudgeCall.objects.values_list("judge_protocol_sha256", flat=True)) == {
        study.judge_protocol.sha256
    }


@pytest.mark.parametrize("stops_after", range(8))
def test_a_stop_at_any_moment_keeps_every_verdict_and_what_follows_asks_for_the_rest(
    stops_after: int, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), ANSWERS)
    first = ScriptedJudge(stops_after=stops_after)
    run.judge(first)
    assert CriterionScore.objects.filter(state="scored").count() == stops_after
    assert CriterionScore.objects.filter(state="open", lease=None).count() == 8 - stops_after
    assert set(scores().values()) <= {0.5}

    second = ScriptedJudge()
    run.judge(second)
    assert len(second.asked) == 8 - stops_after
    assert not set(second.asked) & set(first.asked)
    assert scores() == {"p1": 0.5, "p2": 0.5, "p3": 0.5, "p4": 0.5}
    assert JudgingRun.objects.get().state == "finished"


def test_an_answer_with_criteria_left_to_ask_has_no_score(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p2": "red"})
    state = run.judge(ScriptedJudge(stops_after=3))
    assert scores() == {}
    assert state.unscored == {"not_judged": 1}


def test_threads_judge_everything_exactly_once(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(10):
        work(person(), answers(number))
    judge = ScriptedJudge()
    with ThreadPoolExecutor(8) as pool:
        state = run.judge(judge, pool=pool, at_once=8)
    assert (state.scored, len(judge.asked), CriterionScore.objects.count()) == (40, 80, 80)
