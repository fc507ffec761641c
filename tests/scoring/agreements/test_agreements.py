"""Agreement of a panel: from runs on real judge servers to what is stored, and a study computed by hand."""

import math
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from batches.models import Session
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import JudgeConfig
from scoring.coordinator import Scoring
from scoring.models import JudgeComparison
from scoring.services.agreements import agreements_compute
from studies.models import ItemBank, Participant, Study
from tests.scoring.agreements.agreement_rows import rubric_prompts, statistic, stored
from tests.support.headlines import estimate

pytestmark = pytest.mark.django_db(transaction=True)
ALIKE = ("p001", "p002")  # with the same item parameters


@pytest.fixture
def second_judge(tmp_path: Path) -> Iterator[RunningJudge]:
    """A judge that takes over four verdicts in five from the first."""
    with judge_server(log=tmp_path / "b.log", judge="B", agreement=0.8) as running:
        yield running


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
    """Four answers to two like items: theta is the mean logit plus b, the change that of the mean logit."""
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=2)
    judged_by_hand([1, 1, 0.5, 0], [1, 0.5, 0.5, 0], study=study, prompts=ALIKE)
    agreements_compute(study=study, now=now)
    top_logit, a, b = math.log(0.999 / 0.001), 0.75, -0.5
    average, top = stored("ability")["groups"]
    assert average["x"]["pooled"]["value"] == pytest.approx(top_logit / 4 / a + b)
    assert average["y"]["pooled"]["value"] == pytest.approx(b)
    assert average["change"]["value"] == pytest.approx(-top_logit / 4 / a)
    assert average["change"]["n"] == 4
    # theta_QL of like items is b + logit(mean) / a; slopes n a^2 pi (1 - pi) over a: .9375 a and 1 a.
    assert average["x"]["quasi"]["value"] == pytest.approx(math.log(5 / 3) / a + b)
    assert average["y"]["quasi"]["value"] == pytest.approx(b)
    quasi = average["quasi_change"]
    assert (quasi["value"], quasi["n"]) == (pytest.approx(-math.log(5 / 3) / a), 4)
    parts = [(y - 0.5) / a - (x - 0.625) / (0.9375 * a) for x, y in ((1, 1), (1, 0.5), (0.5, 0.5), (0, 0))]
    assert quasi["se"] == pytest.approx(math.sqrt(4 / 3 * math.fsum(part**2 for part in parts)))
    assert (top["x"]["quasi"]["value"], top["x"]["quasi"]["reason"]) == (None, "no_finite_solution")
    assert top["quasi_change"]["reason"] == "no_finite_solution"
    # Mean scores of the prompts are .75 and .5 before the logit is taken.
    assert average["x"]["theta"] == pytest.approx(math.log(0.7495 / 0.2505) / 2 / a + b)
    assert (top["x"]["participants"], top["shared"]) == (2, 2)
    assert top["change"]["reason"] == "no_finite_solution"
    assert stored("ability")["people"] == 4
    assert stored("ability")["sd_of_people"] == pytest.approx(top_logit / a / 2)
    # Ranks of x are 3.5 3.5 2 1, of y 4 2.5 2.5 1; s_xy = 3.75, both squares 4.5.
    assert stored("ability")["spearman_of_people"] == pytest.approx(3.75 / 4.5)


def test_on_a_logistic_bank_only_theta_ql_stands_and_is_what_warns(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime
) -> None:
    ItemBank.objects.filter(pk=items.pk).update(response_model="2PL_logistic")
    study = make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=2)
    judged_by_hand([1, 1, 1, 0], [0, 0, 1, 0], study=study, prompts=ALIKE)
    agreements_compute(study=study, now=now)
    average, _ = stored("ability")["groups"]
    assert (average["x"]["theta"], average["x"]["pooled"]["reason"]) == (None, "logistic_bank")
    assert (average["change"]["value"], average["change"]["reason"]) == (None, "logistic_bank")
    assert average["quasi_change"]["value"] == pytest.approx(-2 * math.log(3) / 0.75)
    moved, _ = stored("ability")["warnings"]
    assert (moved["code"], moved["subject"]) == ("theta_moved", "average")
    assert moved["value"] == pytest.approx(average["quasi_change"]["value"] / average["x"]["quasi"]["se"])


@pytest.mark.parametrize(("size", "why"), [(1, "too_few_people"), (3, "complement")])
def test_a_top_of_one_or_of_all_but_one_has_no_theta_under_any_judge(
    judged_by_hand: Callable[..., Any], make_study: Callable[..., Study], items: ItemBank, now: datetime,
    size: int, why: str,
) -> None:  # fmt: skip
    study = make_study(
        prompts=rubric_prompts(4, 1), replicates_per_profile=50, item_bank=items, top_size=size
    )
    judged_by_hand([0.8, 0.7, 0.5, 0], [0.9, 0.5, 0.4, 0], study=study, prompts=ALIKE)
    agreements_compute(study=study, now=now)
    average, top = stored("ability")["groups"]
    assert average["x"]["pooled"]["value"] is not None
    assert (top["x"]["theta"], top["y"]["theta"], top["x"]["participants"]) == (None, None, size)
    found = [top[side][name] for side in "xy" for name in ("pooled", "quasi")]
    for one in (*found, top["change"], top["quasi_change"]):
        assert (one["value"], one["reason"]) == (None, why)


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
