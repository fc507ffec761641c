"""What was asked once is not asked again: equal requests, amended protocols, other studies, moved judges."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from batches.models import Session
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.coordinator import run_work_through
from judging.models import (
    AnswerScore,
    CriterionScore,
    JudgeCall,
    JudgeConfig,
    JudgingRun,
    PauseReason,
    ScoringRun,
)
from judging.services.running.claim import lease_time
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.run_rows import rows_delete
from judging.services.running.runs import RunPlan, run_pause, run_plan, run_resume, run_start
from scoring.coordinator import Scoring
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study, StudyEvent
from studies.services.amendments import study_amend
from tests.support.killed_start import start_killed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Score = Callable[..., Scoring]
PROMPTS = [
    PromptRecord(
        prompt_id="p1",
        text="Name two colours.",
        criteria=(CriterionRecord(text="Names one."), CriterionRecord(text="Names another.")),
    ),
    PromptRecord(prompt_id="p2", text="What is 6 times 7?", gold_answer="42"),
]


@pytest.fixture
def answered(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> Callable[..., Study]:
    """A study that some people, by their answers to p2, have worked on."""

    def make(*texts: str, **settings: object) -> Study:
        study = make_study(prompts=PROMPTS, batch_size=2, replicates_per_profile=50, top_size=1, **settings)
        for text in texts:
            work(make_person(study), {"p1": "red and blue", "p2": text})
        return study

    return make


@pytest.fixture
def judge(judge_endpoint: RunningJudge, make_judge: Callable[..., JudgeConfig]) -> JudgeConfig:
    return make_judge(judge_endpoint.url)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[RunningJudge]:
    """A second server, at another address."""
    with judge_server(log=tmp_path / "elsewhere.log") as running:
        yield running


def origins() -> list[str]:
    return list(CriterionScore.objects.order_by("pk").values_list("origin", flat=True))


def values() -> list[tuple[float | None, float | None]]:
    rows = CriterionScore.objects.order_by("judging_run_id", "answer_id", "criterion__position")
    return list(rows.values_list("score", "confidence"))


def test_equal_requests_are_asked_once_and_score_everybody(
    answered: Callable[..., Study], score: Score, judge: JudgeConfig, judge_endpoint: RunningJudge
) -> None:
    score(answered("42", "42", "41"), judge)
    assert len(judge_endpoint.arrivals()) == JudgeCall.objects.count() == 4
    assert sorted(origins()) == ["asked"] * 4 + ["shared"] * 5
    assert AnswerScore.objects.filter(score__isnull=False).count() == 6
    for position in (1, 2):
        same = CriterionScore.objects.filter(criterion__position=position)
        assert same.values("score", "confidence", "explanation").distinct().count() == 1
    (estimate,) = JudgingRun.objects.get().estimate
    assert (estimate["rows"], estimate["calls"], estimate["shared"]) == (9, 4, 5)


def test_under_an_amended_protocol_everything_comes_from_the_cache(
    answered: Callable[..., Study],
    score: Score,
    judge: JudgeConfig,
    judge_endpoint: RunningJudge,
    now: datetime,
) -> None:
    study = answered("42", "41")
    score(study, judge)
    before = values()
    study_amend(study=study, changes={"top_size": 2}, reason="Fewer people came.", now=now)
    scoring = score(study, judge)
    assert len(judge_endpoint.arrivals()) == JudgeCall.objects.count() == 4
    assert values() == before * 2
    assert origins()[len(before) :] == ["cached"] * 6
    assert scoring.judges[0].judging.left == 0
    assert ScoringRun.objects.count() == 2
    (estimate,) = JudgingRun.objects.latest("pk").estimate
    assert (estimate["rows"], estimate["calls"], estimate["cached"]) == (6, 0, 6)


def test_another_study_with_the_same_answers_makes_no_call(
    answered: Callable[..., Study], score: Score, judge: JudgeConfig, judge_endpoint: RunningJudge
) -> None:
    score(answered("42"), judge)
    score(answered("42", "41"), judge)
    assert len(judge_endpoint.arrivals()) == 4
    assert sorted(origins()) == ["asked"] * 4 + ["cached"] * 5


def test_a_replicate_asks_again_and_only_it(
    answered: Callable[..., Study], score: Score, judge: JudgeConfig, judge_endpoint: RunningJudge
) -> None:
    study = answered("42")
    score(study, judge)
    scoring = score(study, judge, replicates=2)
    assert [one.run.replicate for one in scoring.judges] == [1, 2]
    assert len(judge_endpoint.arrivals()) == 6
    assert origins() == ["asked"] * 6
    assert JudgingRun.objects.latest("pk").planned == 3


def test_a_judge_that_moved_to_another_address_stays_the_same_judge(
    answered: Callable[..., Study],
    score: Score,
    judge: JudgeConfig,
    judge_endpoint: RunningJudge,
    elsewhere: RunningJudge,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> None:
    study = answered("42")
    score(study, judge)
    judge.base_url = elsewhere.url
    judge.save()
    work(make_person(study), {"p1": "red and blue", "p2": "forty-two"})
    score(study, judge)
    assert ScoringRun.objects.count() == 1
    assert (len(judge_endpoint.arrivals()), len(elsewhere.arrivals())) == (3, 1)
    assert sorted(origins()) == ["asked"] * 4 + ["cached"] * 2


def test_another_model_is_another_judge(
    answered: Callable[..., Study],
    score: Score,
    judge: JudgeConfig,
    judge_endpoint: RunningJudge,
    make_judge: Callable[..., JudgeConfig],
) -> None:
    study = answered("42")
    score(study, judge)
    score(study, make_judge(judge_endpoint.url, "other", model="judge-2"))
    assert ScoringRun.objects.count() == 2
    assert origins() == ["asked"] * 6
    assert len(judge_endpoint.arrivals()) == 6


def test_the_same_state_gives_the_same_plan_and_another_answer_another(
    answered: Callable[..., Study],
    judge: JudgeConfig,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
) -> None:
    study = answered("42", "41")

    def plan() -> RunPlan:
        specs = study_judge_specs(study=study, configs=[judge], replicates=2)
        return run_plan(study=study, specs=specs, now=now, progress=lambda done, total: None)

    first = plan()
    assert [spec.sha256 for spec in first.judge_plans] == [spec.sha256 for spec in plan().judge_plans]
    assert first.judge_plans[0].sha256 != first.judge_plans[1].sha256
    work(make_person(study), {"p2": "40"})
    assert plan().judge_plans[0].sha256 != first.judge_plans[0].sha256
    started = run_start(plan=first, budget=None, actor=None, now=now)
    run_sha256 = started.plan_sha256
    rows_delete(started)
    started.delete()
    again = run_start(plan=first, budget=None, actor=None, now=now)
    assert again.plan_sha256 == run_sha256


def test_what_another_run_got_since_the_plan_was_made_is_not_asked_again(
    answered: Callable[..., Study],
    judge: JudgeConfig,
    judge_endpoint: RunningJudge,
    running_clock: Callable[[], datetime],
) -> None:
    runs = []
    for study in (answered("42", "42"), answered("42", "41")):
        plan = run_plan(
            study=study,
            specs=study_judge_specs(study=study, configs=[judge]),
            now=running_clock(),
            progress=lambda done, total: None,
        )
        runs.append(run_start(plan=plan, budget=None, actor=None, now=running_clock()))
    # Whoever asks the judge asks for all runs that go on.
    run_pause(run=runs[1], reason=PauseReason.BY_HAND, detail="", now=running_clock())
    run_work_through(run=runs[0], clock=running_clock, progress=lambda done, total: None)
    run_resume(run=runs[1], budget=None, actor=None, now=running_clock())
    run_work_through(run=runs[1], clock=running_clock, progress=lambda done, total: None)
    assert len(judge_endpoint.arrivals()) == JudgeCall.objects.count() == 4
    first, second = (list(run.rows.order_by("origin").values_list("origin", flat=True)) for run in runs)
    assert first == ["asked"] * 3 + ["shared"] * 3
    assert second == ["asked"] + ["cached"] * 5
    assert AnswerScore.objects.filter(score__isnull=False).count() == 8


def test_known_verdicts_that_a_killed_start_left_open_are_found_by_the_workers(
    answered: Callable[..., Study],
    judge: JudgeConfig,
    judge_endpoint: RunningJudge,
    score: Score,
    child_environment: dict[str, str],
    running_clock: Callable[[], datetime],
) -> None:
    first, second = answered("42", "41"), answered("42", "41")
    score(first, judge)
    asked = len(judge_endpoint.arrivals())
    rows = CriterionScore.objects.filter(judging_run__study=second)
    # All six are stored and the run is published; two of them are decided.
    start_killed(child_environment, second.slug, after=8, now=running_clock())
    [run] = JudgingRun.objects.filter(study=second)
    assert [rows.filter(state=state).count() for state in ("open", "scored")] == [4, 2]
    assert StudyEvent.objects.filter(study=second, kind="judging_started").count() == 1

    def later() -> datetime:
        return running_clock() + 2 * lease_time()

    run_work_through(run=run, clock=later, progress=lambda done, total: None)
    assert set(rows.values_list("state", "origin")) == {("scored", "cached")}
    assert len(judge_endpoint.arrivals()) == asked
    assert AnswerScore.objects.filter(run__study=second, score__isnull=False).count() == 4
