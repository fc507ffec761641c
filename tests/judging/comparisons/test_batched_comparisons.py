"""Several criteria a call: compared with one on a sample first, against a real judge server."""

from collections.abc import Callable

import pytest

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import (
    AnswerScore,
    CriterionScore,
    JudgeCall,
    JudgeConfig,
    JudgingRun,
    RunPurpose,
    RunState,
    ScoringRun,
)
from judging.services.comparing import ComparisonReport
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from studies.models import Study, StudyEvent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Compare = Callable[..., ComparisonReport]


def test_a_comparison_asks_about_a_sample_both_ways_and_computes_no_results(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, compare: Compare
) -> None:
    report = compare(study, make_judge(judge_endpoint.url), answers=6)
    run = JudgingRun.objects.get()
    assert (run.purpose, run.state, run.planned) == (RunPurpose.COMPARISON, RunState.FINISHED, 60)
    # Of five criteria three are asked about together, then two; the others one by one.
    assert (report.single.requests, report.batched.requests) == (30, 12)
    assert (report.single.calls, report.batched.calls) == (30, 12)
    assert len(judge_endpoint.arrivals()) == 42
    assert (report.by_criterion.n, report.by_criterion.clusters, report.by_answer.n) == (30, 6, 6)
    prompts = CriterionScore.objects.values_list("answer__prompt__prompt_id", flat=True).distinct()
    assert set(prompts) == {"p001", "p002", "p003"}
    assert not ResultSet.objects.exists()
    assert set(ScoringRun.objects.values_list("finished_at", flat=True)) == {None}
    started = StudyEvent.objects.get(kind="judging_started")
    assert (started.details["purpose"], started.details["seed"], started.details["answers"]) == (
        "comparison",
        1,
        6,
    )


def test_a_batched_judge_scores_apart_from_the_same_judge_one_by_one(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, compare: Compare
) -> None:
    compare(study, make_judge(judge_endpoint.url), answers=6)
    one, several = ScoringRun.objects.order_by("pk")
    assert (one.judge["criteria_per_call"], several.judge["criteria_per_call"]) == (1, 3)
    assert "batched_text_sha256" not in one.judge
    assert one.judge["texts_sha256"] == several.judge["texts_sha256"]
    assert one.judge_sha256 != several.judge_sha256
    assert AnswerScore.objects.filter(run=one).count() == AnswerScore.objects.filter(run=several).count() == 6
    texts = set(JudgeCall.objects.filter(run=several).values_list("judge_protocol_sha256", flat=True))
    assert texts == {several.judge["batched_text_sha256"]}


def test_the_report_warns_of_a_judge_that_says_something_else_when_asked_several_at_once(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, compare: Compare
) -> None:
    report = compare(study, make_judge(judge_endpoint.url))
    found = {(warning.code.value, warning.subject) for warning in report.warnings}
    assert {("alpha_low", "alpha_interval"), ("kappa_low", "kappa")} <= found
    assert abs(report.by_criterion.pearson.value) < 0.4
    assert report.theta is not None
    assert report.theta.theta_x != report.theta.theta_y
    assert report.so_far.is_enough


def test_the_same_sample_costs_nothing_the_second_time(
    study: Study, make_judge: Callable[..., JudgeConfig], judge_endpoint: RunningJudge, compare: Compare
) -> None:
    judge = make_judge(judge_endpoint.url)
    first = compare(study, judge, answers=6)
    second = compare(study, judge, answers=6)
    assert (first.by_criterion, first.by_answer) == (second.by_criterion, second.by_answer)
    assert len(judge_endpoint.arrivals()) == 42
    assert JudgingRun.objects.count() == 1


def test_what_was_scored_one_by_one_is_not_asked_again_for_a_comparison(
    study: Study,
    make_judge: Callable[..., JudgeConfig],
    judge_endpoint: RunningJudge,
    score: Callable[..., Scoring],
    compare: Compare,
) -> None:
    judge = make_judge(judge_endpoint.url)
    score(study, judge)
    asked = len(judge_endpoint.arrivals())
    results = ResultSet.objects.count()
    report = compare(study, judge)
    # 24 answers with five criteria: two calls each.
    assert len(judge_endpoint.arrivals()) - asked == 48
    assert report.by_criterion.n == 120
    assert ResultSet.objects.count() == results
    assert ScoringRun.objects.get(judge__criteria_per_call=1).finished_at is not None
    assert ScoringRun.objects.get(judge__criteria_per_call=3).finished_at is None
