"""Several criteria a call are used for scores only after a comparison."""

import threading
from collections.abc import Callable
from datetime import datetime

import pytest

from benchmarks.hashed_judge.running import RunningJudge
from judging.coordinator import work_for_a_while
from judging.models import AnswerScore, CriterionScore, JudgeConfig, JudgingRun, RunPurpose, RunState
from judging.services.comparing import (
    Comparison,
    ComparisonReport,
    NothingToCompare,
    comparison_draw,
    comparison_plan,
    comparison_start,
)
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.running.coordinating import RunOfOthers
from judging.services.running.judge_specs import JudgeSpec, NotCompared
from judging.services.running.runs import run_cancel, run_plan, run_start
from scoring.coordinator import Scoring, judging_coordinate, study_score
from scoring.models import ResultSet
from studies.models import Study
from tests.judging.comparisons.comparing import unseen

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Clock = Callable[[], datetime]
Compare = Callable[..., ComparisonReport]


@pytest.fixture
def score_batched(running_clock: Clock) -> Callable[..., Scoring]:
    def run(study: Study, config: JudgeConfig, criteria_per_call: int = 3) -> Scoring:
        return study_score(
            study=study,
            specs=[JudgeSpec(config, criteria_per_call=criteria_per_call)],
            budget=None,
            actor=None,
            clock=running_clock,
            planning=unseen,
            judging=unseen,
        )

    return run


def test_a_study_is_not_scored_by_several_criteria_a_call_before_the_comparison(
    study: Study,
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
    score_batched: Callable[..., Scoring],
    compare: Compare,
) -> None:
    judge = make_judge(judge_endpoint.url)
    with pytest.raises(NotCompared, match=r"answers 0, criteria 0, and no comparison is finished.*--judge"):
        score_batched(study, judge)
    compare(study, judge, answers=19)
    with pytest.raises(NotCompared, match=r"so far: answers 19, criteria 95\. Run compare_batched"):
        score_batched(study, judge)
    assert not ResultSet.objects.exists()
    compare(study, judge, answers=20)
    scored = score_batched(study, judge)
    assert (scored.judges[0].judging.scored, scored.judges[0].judging.left) == (40, 0)
    assert ResultSet.objects.get().run.judge["criteria_per_call"] == 3


def test_a_run_for_scores_is_refused_wherever_it_is_started(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, now: datetime
) -> None:
    judge = make_judge(judge_endpoint.url)
    plan = run_plan(study=study, specs=[JudgeSpec(judge, criteria_per_call=3)], now=now, progress=unseen)
    with pytest.raises(NotCompared, match="may not score with 3 criteria a call"):
        run_start(plan=plan, budget=None, actor=None, now=now)
    assert not JudgingRun.objects.exists()


def test_a_comparison_holds_for_its_number_of_criteria_only(
    study: Study,
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
    score_batched: Callable[..., Scoring],
    compare: Compare,
) -> None:
    judge = make_judge(judge_endpoint.url)
    compare(study, judge)
    with pytest.raises(NotCompared, match="answers 0, criteria 0"):
        score_batched(study, judge, 4)
    with pytest.raises(NotCompared, match="answers 0, criteria 0"):
        score_batched(study, make_judge(judge_endpoint.url, "other", model="judge-2"), 3)


def test_a_cancelled_comparison_allows_nothing(
    study: Study,
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
    score_batched: Callable[..., Scoring],
    compare: Compare,
    running_clock: Clock,
) -> None:
    judge = make_judge(judge_endpoint.url)
    comparison = drawn(study, judge)
    started(comparison, running_clock())
    run_cancel(run=JudgingRun.objects.get(), actor=None, now=running_clock())
    with pytest.raises(NotCompared, match="no comparison is finished"):
        score_batched(study, judge)
    compare(study, judge)
    assert score_batched(study, judge).judges[0].judging.left == 0


def test_verdicts_that_a_cancelled_run_left_without_a_score_are_compared_by_answer_too(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, compare: Compare
) -> None:
    judge = make_judge(judge_endpoint.url)
    before = compare(study, judge, answers=6)
    AnswerScore.objects.all().delete()
    after = compare(study, judge, answers=6)
    assert (after.by_answer, after.by_answer.n) == (before.by_answer, 6)
    assert len(judge_endpoint.arrivals()) == 42


def drawn(study: Study, judge: JudgeConfig, answers: int = 40, seed: int = 1) -> Comparison:
    return comparison_draw(study=study, config=judge, criteria_per_call=3, answers=answers, seed=seed)


def started(comparison: Comparison, now: datetime) -> JudgingRun:
    plan = comparison_plan(comparison=comparison, now=now, progress=unseen)
    return comparison_start(comparison=comparison, plan=plan, budget=None, actor=None, now=now)


def test_scoring_does_not_take_an_open_comparison_for_its_own_run(
    study: Study,
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
    score: Callable[..., Scoring],
    compare: Compare,
    running_clock: Clock,
) -> None:
    judge = make_judge(judge_endpoint.url)
    run = started(drawn(study, judge), running_clock())
    with pytest.raises(RunOfOthers, match="compares several criteria a call with one"):
        score(study, judge)
    assert judge_endpoint.arrivals() == []
    # The same comparison goes on with it.
    assert compare(study, judge).by_criterion.n == 120
    run.refresh_from_db()
    assert (run.state, JudgingRun.objects.count()) == (RunState.FINISHED, 1)


def test_workers_end_a_comparison_without_computing_results(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, running_clock: Clock
) -> None:
    run = started(drawn(study, make_judge(judge_endpoint.url), answers=2), running_clock())
    from_workers(run, running_clock)
    run.refresh_from_db()
    assert (run.state, run.purpose) == (RunState.FINISHED, RunPurpose.COMPARISON)
    assert CriterionScore.objects.filter(state="scored").count() == 20
    assert not ResultSet.objects.exists()


def from_workers(run: JudgingRun, clock: Clock) -> None:
    for one in judging_coordinate(clock=clock):
        work_for_a_while(judging_run=run, run=one.run, stopping=threading.Event(), clock=clock)
    judging_coordinate(clock=clock)


def test_the_sample_takes_prompts_in_turn_and_repeats_by_its_seed(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge
) -> None:
    judge = make_judge(judge_endpoint.url)
    seven = drawn(study, judge, answers=7)
    assert seven == drawn(study, judge, answers=7)
    assert seven != drawn(study, judge, answers=7, seed=2)
    counts = sorted(
        sum(answer.prompt_id == prompt for answer in seven.answers) for prompt in ("p001", "p002", "p003")
    )
    assert counts == [2, 2, 3]
    assert len(drawn(study, judge, answers=1000).answers) == 24


def test_a_comparison_needs_rubrics_and_more_than_one_criterion_a_call(
    study: Study,
    make_study: Callable[..., Study],
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
) -> None:
    judge = make_judge(judge_endpoint.url)
    with pytest.raises(JudgeNotConfigured, match="give 2 or more"):
        comparison_draw(study=study, config=judge, criteria_per_call=1, answers=5, seed=1)
    with pytest.raises(NothingToCompare, match="two criteria or more"):
        drawn(make_study(prompts=4), judge)
    with pytest.raises(JudgeNotConfigured, match="asks no language model"):
        drawn(make_study(prompts=4, judge_kind="checks"), judge)
