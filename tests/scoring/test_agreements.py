"""Agreement of a panel: from runs on real judge servers to what is stored, and a study computed by hand."""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from batches.models import Answer, Session
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from psychometrics.agreement.pairs import agreement_from_seed
from scoring.coordinator import Scoring
from scoring.models import JudgeComparison
from scoring.selectors.agreements import panel_scores, panels
from scoring.services.agreement_inputs import agreements_are_current
from scoring.services.agreements import agreements_compute
from screening.models import ParticipantFlag, VerdictDecision
from screening.services.verdicts import verdict_record
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.services.banks import item_bank_import
from tests.support.headlines import estimate

pytestmark = pytest.mark.django_db(transaction=True)

Value = float | None


def rubric_prompts(number: int, criteria: int) -> list[PromptRecord]:
    return [
        PromptRecord(
            prompt_id=f"p{n:03d}",
            text=f"Question {n}?",
            gold_answer=str(n),
            criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(criteria)),
        )
        for n in range(1, number + 1)
    ]


@pytest.fixture
def items(now: datetime) -> ItemBank:
    parameters = ItemParameters(
        tuple(ItemParameter(f"p{n:03d}", a=0.5 + n / 4, b=n / 2 - 1) for n in range(1, 5)),
        squeeze_scale=0.998,
        squeeze_offset=0.001,
        sigma_hat=2.5,
    )
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def second_judge(tmp_path: Path) -> Iterator[RunningJudge]:
    """A judge that takes over four verdicts in five from the first."""
    with judge_server(log=tmp_path / "b.log", judge="B", agreement=0.8) as running:
        yield running


@pytest.fixture
def judged_by_hand(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    now: datetime,
) -> Callable[..., tuple[Study, list[ScoringRun]]]:
    """A study whose judges gave exactly these scores: `judged([x of each answer], [y of each answer], …)`.

    One person for each answer, on a prompt with one criterion; None is unscored.
    """

    def make(*judges: Sequence[Value], study: Study | None = None) -> tuple[Study, list[ScoringRun]]:
        study = study or make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50)
        for number in range(len(judges[0])):
            work(make_person(study), {f"p{n:03d}": f"Answer {number}" for n in (1, 2, 3, 4)})
        prompt = "p001"
        for answer in Answer.objects.exclude(prompt__prompt_id=prompt):
            Answer.objects.filter(pk=answer.pk).update(has_text=False)
        judging_run = JudgingRun.objects.create(
            study=study, state="finished", planned=0, estimate=[], plan_sha256="", started_at=now,
            resumed_at=now, ended_at=now,
        )  # fmt: skip
        answers = list(Answer.objects.filter(prompt__prompt_id=prompt).order_by("session__participant__code"))
        runs = []
        for name, scores in zip("abcdef", judges, strict=False):
            run = ScoringRun.objects.create(
                study=study, config=make_judge("http://127.0.0.1:9/v1", slug=f"judge-{name}"),
                judge_kind="llm", judge={}, judge_sha256=name * 64, design_hash=study.design_hash,
                protocol_hash=study.protocol_hash,
                started_at=now,
            )  # fmt: skip
            for answer, score in zip(answers, scores, strict=True):
                give(judging_run, run, answer, score, now)
            runs.append(run)
        return study, runs

    return make


def give(judging_run: JudgingRun, run: ScoringRun, answer: Answer, score: Value, now: datetime) -> None:
    reason = "" if score is not None else "reply_empty"
    CriterionScore.objects.create(
        judging_run=judging_run, run=run, answer=answer, revision=answer.revision,
        criterion=answer.prompt.criteria.get(), available_at=now, decided_at=now, score=score,
        state="unscored" if score is None else "scored", confidence=None if score is None else 1.0,
        unscored_reason=reason, origin="asked",
    )  # fmt: skip
    AnswerScore.objects.create(
        run=run, answer=answer, revision=answer.revision, score=score, unscored_reason=reason, judged_at=now
    )


def stored(level: str, **which: Any) -> dict[str, Any]:
    values: dict[str, Any] = JudgeComparison.objects.get(level=level, **which).values
    return values


def statistic(level: str, name: str, **which: Any) -> dict[str, Any]:
    found: dict[str, Any] = stored(level, **which)["statistics"][name]
    return found


@pytest.mark.slow
def test_a_finished_run_of_two_judges_leaves_their_agreement(
    judge_endpoint: RunningJudge,
    second_judge: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    items: ItemBank,
) -> None:
    study = make_study(prompts=rubric_prompts(4, 5), replicates_per_profile=50, item_bank=items, top_size=3)
    for number in range(20):
        work(make_person(study), {f"p{n:03d}": f"Answer {number} to {n}" for n in range(1, 5)})
    judges = [make_judge(judge_endpoint.url, "alpha"), make_judge(second_judge.url, "beta")]
    scoring = score(study, *judges)
    assert set(JudgeComparison.objects.values_list("level", flat=True)) == {
        "criterion", "answer", "people", "ability", "panel",
    }  # fmt: skip
    criteria = stored("criterion")
    assert (criteria["rows"], criteria["n"], criteria["clusters"]) == (400, 400, 80)
    # Equal by agreement, or by chance where the second judge has an opinion of its own: .8 + .2 x .5.
    same = criteria["statistics"]["near_exact"]
    assert same["low"] < 0.9 < same["high"]
    assert (
        criteria["confusion"]["both"] + criteria["confusion"]["neither"]
        == (criteria["statistics"]["same_side"]["count"])
    )
    assert stored("answer")["n"] == 80
    assert stored("answer")["clusters"] == 20
    assert stored("people")["n"] == 20
    # Two judges are a panel, too: its alpha is theirs.
    assert stored("panel")["levels"]["criterion"]["statistics"]["alpha_interval"]["value"] == pytest.approx(
        criteria["statistics"]["alpha_interval"]["value"], abs=1e-12
    )
    for side, scored in zip("xy", scoring.judges, strict=True):
        for group in stored("ability")["groups"]:
            own = estimate(scored.results, group["group"])
            assert group[side]["theta"] == pytest.approx(own.theta, abs=1e-12)
            assert group[side]["pooled"]["value"] == pytest.approx(own.theta_pool, abs=1e-12)
            assert group[side]["quasi"]["value"] == pytest.approx(own.theta_ql, abs=1e-9)
            assert group[side]["participants"] == own.participants


@pytest.mark.slow
def test_replicates_of_one_judge_are_compared_with_each_other(
    judge_endpoint: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
) -> None:
    study = make_study(prompts=rubric_prompts(4, 2), replicates_per_profile=50)
    for number in range(4):
        work(make_person(study), {f"p{n:03d}": f"Answer {number} to {n}" for n in range(1, 5)})
    score(study, make_judge(judge_endpoint.url), replicates=3)
    pairs = JudgeComparison.objects.filter(level="criterion").values_list(
        "first__replicate", "second__replicate"
    )
    assert sorted(pairs) == [(1, 2), (1, 3), (2, 3)]
    # The server's verdicts follow from the request alone.
    assert statistic("criterion", "kappa", first__replicate=1, second__replicate=2)["value"] == 1.0
    assert stored("panel")["levels"]["answer"]["judges"] == 3


def test_a_study_of_four_answers_is_computed_as_by_hand(
    judged_by_hand: Callable[..., Any], now: datetime
) -> None:
    """Let x = 1 1 0 0, y = 1 0 0 0: po = 3/4, pe = 1/2 x 1/4 + 1/2 x 3/4 = 1/2; kappa is 1/2.

    Pearson: s_xy = 1/2, s_x s_y = sqrt(1 x 3/4), r = 1/sqrt 3. Alpha: D_o = 1/4; of eight values three are
    1, D_e = 2 x 3 x 5 / (8 x 7) = 15/28; 1 - 7/15 = 8/15. Offset -1/4, sd of (0, -1, 0, 0) = 1/2.
    """
    study, _ = judged_by_hand([1, 1, 0, 0], [1, 0, 0, 0])
    agreements_compute(study=study, now=now)
    for level in ("criterion", "answer", "people"):
        assert statistic(level, "kappa")["value"] == pytest.approx(1 / 2)
        assert statistic(level, "pearson")["value"] == pytest.approx(1 / math.sqrt(3))
        assert statistic(level, "alpha_interval")["value"] == pytest.approx(8 / 15)
        assert statistic(level, "offset")["value"] == pytest.approx(-1 / 4)
        assert statistic(level, "sd_of_differences")["value"] == pytest.approx(1 / 2)
    assert stored("answer")["confusion"] == {"both": 1, "only_x": 1, "only_y": 0, "neither": 2}
    assert stored("answer")["cells"] == [[0.0, 0.0, 2], [0.5, -1.0, 1], [1.0, 0.0, 1]]
    codes = [warning["code"] for warning in stored("answer")["warnings"]]
    assert codes == ["alpha_low", "offset_large", "kappa_low", "few_clusters"]
    assert not JudgeComparison.objects.filter(level="ability").exists()


def test_theta_of_a_group_moves_as_by_hand(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime
) -> None:
    """Four answers to one item: theta is the mean logit plus b, and the change the mean change of logits."""
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=1)
    judged_by_hand([1, 1, 0.5, 0], [1, 0.5, 0.5, 0], study=study)
    agreements_compute(study=study, now=now)
    top_logit, a, b = math.log(0.999 / 0.001), 0.75, -0.5
    average, top = stored("ability")["groups"]
    assert average["x"]["pooled"]["value"] == pytest.approx(top_logit / 4 / a + b)
    assert average["y"]["pooled"]["value"] == pytest.approx(b)
    assert average["change"]["value"] == pytest.approx(-top_logit / 4 / a)
    assert average["change"]["n"] == 4
    # theta_QL of one item is b + logit(mean) / a; slopes n a^2 pi (1 - pi) over a: .9375 a and 1 a.
    assert average["x"]["quasi"]["value"] == pytest.approx(math.log(5 / 3) / a + b)
    assert average["y"]["quasi"]["value"] == pytest.approx(b)
    quasi = average["quasi_change"]
    assert (quasi["value"], quasi["n"]) == (pytest.approx(-math.log(5 / 3) / a), 4)
    parts = [(y - 0.5) / a - (x - 0.625) / (0.9375 * a) for x, y in ((1, 1), (1, 0.5), (0.5, 0.5), (0, 0))]
    assert quasi["se"] == pytest.approx(math.sqrt(4 / 3 * math.fsum(part**2 for part in parts)))
    assert (top["x"]["quasi"]["value"], top["x"]["quasi"]["reason"]) == (None, "no_finite_solution")
    assert top["quasi_change"]["reason"] == "no_finite_solution"
    # Mean scores of the prompt are .625 and .5 before the logit is taken.
    assert average["x"]["theta"] == pytest.approx(math.log(0.62475 / 0.37525) / a + b)
    assert (top["x"]["participants"], top["shared"]) == (1, 1)
    assert top["change"]["reason"] == "one_cluster"
    assert stored("ability")["people"] == 4
    assert stored("ability")["sd_of_people"] == pytest.approx(top_logit / a / 2)
    # Ranks of x are 3.5 3.5 2 1, of y 4 2.5 2.5 1; s_xy = 3.75, both squares 4.5.
    assert stored("ability")["spearman_of_people"] == pytest.approx(3.75 / 4.5)


def test_on_a_logistic_bank_only_theta_ql_stands_and_is_what_warns(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime
) -> None:
    ItemBank.objects.filter(pk=items.pk).update(response_model="2PL_logistic")
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=1)
    judged_by_hand([1, 1, 1, 0], [0, 0, 1, 0], study=study)
    agreements_compute(study=study, now=now)
    average, _ = stored("ability")["groups"]
    assert (average["x"]["theta"], average["x"]["pooled"]["reason"]) == (None, "logistic_bank")
    assert (average["change"]["value"], average["change"]["reason"]) == (None, "logistic_bank")
    assert average["quasi_change"]["value"] == pytest.approx(-2 * math.log(3) / 0.75)
    moved, _ = stored("ability")["warnings"]
    assert (moved["code"], moved["subject"]) == ("theta_moved", "average")
    assert moved["value"] == pytest.approx(average["quasi_change"]["value"] / average["x"]["quasi"]["se"])


def test_the_order_of_thetas_is_unknown_below_three_people_or_without_variation(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime
) -> None:
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=1)
    judged_by_hand([1, 0, None, 0.5], [0.5, 0, 1, None], [1, 1, 1, 1], study=study)
    agreements_compute(study=study, now=now)
    found = JudgeComparison.objects.filter(level="ability").order_by("first", "second")
    assert [(row.values["people"], row.values["spearman_of_people"]) for row in found] == [
        (2, None), (3, None), (3, None),
    ]  # fmt: skip


def test_a_judge_that_turns_the_order_round_has_a_rank_correlation_of_minus_one(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime
) -> None:
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=1)
    judged_by_hand([1, 0.7, 0.2, 0], [0, 0.1, 0.8, 0.9], study=study)
    agreements_compute(study=study, now=now)
    assert stored("ability")["spearman_of_people"] == -1.0


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
