"""Which judges and answers a panel compares, and when its agreement is computed anew."""

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from batches.models import Answer
from judging.models import AnswerScore, ScoringRun
from psychometrics.agreement.pairs import agreement_from_seed
from scoring.models import JudgeComparison
from scoring.selectors.judges import panels
from scoring.services import agreement_inputs
from scoring.services.agreement_inputs import agreements_are_current, panel_scores
from scoring.services.agreements import agreements_compute
from screening.models import ParticipantFlag, VerdictDecision
from screening.services.verdicts import verdict_record
from studies.models import ItemBank, Study, User
from tests.scoring.agreements.agreement_rows import rubric_prompts, statistic, stored

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_a_judge_could_not_score_is_missing_and_counted(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    study, _ = judged_by_hand([1, 1, 0, 0, None, 1], [1, 0, 0, None, None, 1])
    agreements_compute(study=study, now=now)
    counts = ("rows", "n", "missing_x", "missing_y")
    for level in ("criterion", "answer"):
        assert [stored(level)[name] for name in counts] == [6, 4, 1, 2]
    assert statistic("answer", "offset")["value"] == pytest.approx(-1 / 4)
    panel = stored("panel")["levels"]["answer"]
    assert (panel["units"], panel["single"], panel["empty"], panel["missing"]) == (4, 1, 1, [1, 2])


def test_a_judge_that_failed_everywhere_agrees_with_nobody_and_says_why(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime
) -> None:
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=1)
    judged_by_hand([1, 1, 0, 0], [None, None, None, None], study=study)
    agreements_compute(study=study, now=now)
    for level in ("criterion", "answer", "people"):
        assert stored(level)["n"] == 0
        assert statistic(level, "kappa") == {
            "value": None, "se": None, "low": None, "high": None, "reason": "no_pairs",
        }  # fmt: skip
        assert statistic(level, "near_exact")["value"] is None
    average, top = stored("ability")["groups"]
    for theta in ("pooled", "quasi"):
        assert (average["y"][theta]["value"], average["y"][theta]["reason"]) == (None, "no_pairs")
    assert (average["quasi_change"]["value"], average["quasi_change"]["n"]) == (None, 0)
    assert (top["y"]["participants"], top["change"]["value"]) == (0, None)
    codes = {warning["code"] for warning in stored("answer")["warnings"]}
    assert codes == {"not_measured", "few_clusters"}
    assert {warning["subject"] for warning in stored("ability")["warnings"]} == {"average", "average_pool"}


def test_judges_without_a_common_answer_are_not_compared(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    study, _ = judged_by_hand([1, 0, None, None], [None, None, 1, 0])
    agreements_compute(study=study, now=now)
    assert statistic("answer", "pearson")["reason"] == "no_pairs"
    assert [stored("answer")[name] for name in ("missing_x", "missing_y")] == [2, 2]


def test_identical_judges_agree_fully_without_an_interval(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    scores = [1, 0, 0.5, 1, 0, 0.5] * 2
    study, _ = judged_by_hand(scores, scores)
    agreements_compute(study=study, now=now)
    alpha = statistic("answer", "alpha_interval")
    assert (alpha["value"], alpha["low"], alpha["reason"]) == (1.0, None, "no_spread")


def test_a_third_judge_is_compared_with_both_and_joins_the_panel(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    scores = [[1, 1, 0, 0, 1], [1, 0, 0, 0, 1], [1, 1, 0, None, 0]]
    study, runs = judged_by_hand(*scores)
    agreements_compute(study=study, now=now)
    pairs = JudgeComparison.objects.filter(level="answer").values_list("first", "second")
    first, second, third = (run.pk for run in runs)
    assert set(pairs) == {(first, second), (first, third), (second, third)}
    panel = stored("panel")
    assert panel["runs"] == [first, second, third]
    assert (panel["levels"]["answer"]["scores"], panel["levels"]["answer"]["missing"]) == (14, [0, 0, 1])


def test_a_panel_holds_every_judge_once(judged_by_hand: Callable[..., Any], now: datetime) -> None:
    study, runs = judged_by_hand([1, 1, 0, 0, 1], [1, 0, 0, 0, 1], [1, 1, 0, 0, 0])
    ScoringRun.objects.filter(pk=runs[2].pk).update(config=runs[0].config, replicate=2)
    agreements_compute(study=study, now=now)
    assert stored("panel")["runs"] == [runs[0].pk, runs[1].pk]
    assert JudgeComparison.objects.filter(level="answer").count() == 3


def test_equal_inputs_keep_what_is_stored_and_changed_ones_replace_it(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    study, runs = judged_by_hand([1, 1, 0, 0, 1], [1, 0, 0, 0, 1])
    agreements_compute(study=study, now=now)
    before = {row.level: (row.pk, row.values) for row in JudgeComparison.objects.all()}
    later = now + timedelta(hours=1)
    agreements_compute(study=study, now=later)
    assert {row.level: (row.pk, row.values) for row in JudgeComparison.objects.all()} == before
    assert set(JudgeComparison.objects.values_list("computed_at", flat=True)) == {later}
    answer = AnswerScore.objects.filter(run=runs[1]).latest("pk")
    AnswerScore.objects.filter(pk=answer.pk).update(score=0.0)
    agreements_compute(study=study, now=later)
    assert statistic("answer", "offset")["value"] == pytest.approx(-2 / 5)
    assert JudgeComparison.objects.count() == len(before)


def test_the_stored_seed_repeats_the_intervals(judged_by_hand: Callable[..., Any], now: datetime) -> None:
    x, y = [1, 1, 0, 0, 0.5, 1] * 2, [1, 0, 0, 0.2, 0.5, 1] * 2
    study, _ = judged_by_hand(x, y)
    agreements_compute(study=study, now=now)
    values = stored("answer")
    again = agreement_from_seed(
        np.array(x, dtype=float), np.array(y, dtype=float), np.arange(12),
        seed=values["seed"], resamples=values["resamples"],
    )  # fmt: skip
    assert (again.pearson.low, again.pearson.high) == (
        values["statistics"]["pearson"]["low"],
        values["statistics"]["pearson"]["high"],
    )
    assert not math.isnan(again.pearson.low)
    assert values["resamples"] == 1000


def test_excluded_people_and_changed_answers_take_no_part(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    study, _ = judged_by_hand([1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 1, 0])
    answers = list(Answer.objects.filter(has_text=True).order_by("session__participant__code"))
    Answer.objects.filter(pk=answers[0].pk).update(revision=2)
    lead = User.objects.create_superuser("lead@example.org")
    excluded = answers[1].session.participant
    facts = {"participant": excluded, "rules_version": "1", "reason": "minimal"}
    ParticipantFlag.objects.create(**facts, evidence="…", flagged_at=now + timedelta(days=1))
    verdict_record(
        participant=excluded,
        decision=VerdictDecision.CONFIRM,
        reason="Off task.",
        actor=lead,
        now=now + timedelta(days=1),
    )
    agreements_compute(study=study, now=now)
    # The changed answer counts and has no score of either judge yet; the excluded person's is not there.
    assert [stored("answer")[name] for name in ("rows", "n", "missing_x", "missing_y")] == [5, 4, 1, 1]
    assert statistic("answer", "offset")["value"] == 0.0


def test_agreement_is_current_until_a_judge_scores_anew(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    study, runs = judged_by_hand([1, 0, 1], [1, 0, 1])
    assert not agreements_are_current(study)
    agreements_compute(study=study, now=now)
    assert agreements_are_current(study)
    AnswerScore.objects.filter(run=runs[1], score=0).update(score=0.5)
    assert not agreements_are_current(study)


def test_agreement_by_an_earlier_method_is_not_current_under_whatever_design(
    judged_by_hand: Callable[..., Any], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, _ = judged_by_hand([1, 0, 1], [1, 0, 1])
    ScoringRun.objects.update(design_hash="f" * 64)
    agreements_compute(study=study, now=now)
    assert agreements_are_current(study)
    monkeypatch.setattr(agreement_inputs, "METHOD", 4)
    assert not agreements_are_current(study)


def test_runs_under_another_design_are_another_panel(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    study, runs = judged_by_hand([1, 0, 1], [1, 0, 1], [1, 0, 0])
    ScoringRun.objects.filter(pk=runs[2].pk).update(design_hash="f" * 64)
    assert [[run.pk for run in panel] for panel in panels(study)] == [[runs[0].pk, runs[1].pk]]


def test_reading_a_panel_takes_four_queries_whatever_its_size(
    judged_by_hand: Callable[..., Any], django_assert_num_queries: Callable[[int], Any]
) -> None:
    study, runs = judged_by_hand([1, 0, 1, 0], [1, 0, 1, 0], [1, 0, 0, 1])
    with django_assert_num_queries(4):
        scores = panel_scores(study, tuple(runs))
    assert scores.answer_scores.shape == (4, 3)
    assert scores.criterion_scores.shape == (4, 3)
