"""Exports of task benchmarks and of three judges are computed again."""

import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from batches.models import Answer, Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, AuditSample, CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from judging.services.audits import audit_draw
from psychometrics.benchmark.accuracy_table import AccuracyTable
from scoring.services.agreements import agreements_compute
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from scoring.services.task_tables import task_table_import
from studies.bank.records import CriterionRecord
from studies.models import Criterion, Participant, Study
from studies.services.banks import item_bank_import
from tests.scoring.recompute.recomputing import (
    NAMES,
    assert_agree,
    assert_complete,
    exported,
    prompt,
    run_script,
)
from tests.support.computed_again import computed_again

pytestmark = pytest.mark.django_db


def test_a_task_benchmark_beside_a_table_of_models_is_computed_again(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    accuracies: dict[str, list[float | None]] = {
        "Web of Lies": [25.0, 80.0],
        "DisambiguationQA": [10.0, 60.0],
    }
    table = AccuracyTable(models=["Random", "large"], tasks=list(accuracies), accuracy_percent=accuracies)
    bank, _, _ = task_table_import(slug="table", table=table, source="a test", now=now)
    prompts = [prompt(n, task=("web of lies", "disambiguation qa")[n % 2]) for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="match", match_rules="bbeh", with_bank=False, table=bank)
    code, said = run_script(exported(study, tmp_path / "export", now))
    assert code == 0, said
    assert_agree(said, "results benchmark.macro", "benchmark benchmark.micro.questions")
    assert_agree(said, "benchmark human.max.equal", "benchmark human.top_crossfit")
    assert_agree(
        said, "benchmark theta.task", "benchmark theta.task.ql.model", "benchmark benchmark.macro.model"
    )
    assert_complete(said)


def test_the_variants_of_a_task_of_bbh_are_averaged_first(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    tasks = ("word_sorting", "logical_deduction_three_objects", "logical_deduction_five_objects")
    prompts = [prompt(n, task=tasks[n % 3]) for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="match", match_rules="bbh", with_bank=False)
    code, said = computed_again(exported(study, tmp_path / "export", now))
    assert code == 0, said
    assert_agree(said, "benchmark benchmark.macro.bbh23", "benchmark human.top_crossfit")


def test_what_three_judges_agree_on_is_computed_again(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    tmp_path: Path,
    now: datetime,
) -> None:
    chance = random.Random(7)
    items = tuple(ItemParameter(name, a=1 + n / 10, b=n / 5 - 1) for n, name in enumerate(NAMES[:3]))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    rubric = tuple(CriterionRecord(text=f"Says part {c}.") for c in range(2))
    prompts = [prompt(n).model_copy(update={"criteria": rubric if n > 1 else ()}) for n in range(1, 5)]
    study = make_study(prompts=prompts, replicates_per_profile=50, item_bank=bank, top_size=3)
    for number in range(8):
        work(make_person(study), dict.fromkeys(NAMES[:4], f"Answer {number}"))
    judging_run = JudgingRun.objects.create(
        study=study, state="finished", planned=0, estimate=[], plan_sha256="0", started_at=now,
        resumed_at=now, ended_at=now,
    )  # fmt: skip
    for name in "abc":
        run = ScoringRun.objects.create(
            study=study, config=make_judge("http://127.0.0.1:9/v1", slug=f"judge-{name}"), judge_kind="llm",
            judge={}, judge_sha256=name * 64, protocol_hash=study.protocol_hash,
            design_hash=study.design_hash, started_at=now,
        )  # fmt: skip
        for answer in Answer.objects.order_by("pk"):
            judged(judging_run, run, answer, chance)
    agreements_compute(study=study, now=now)
    for run in ScoringRun.objects.order_by("-pk"):
        results = results_compute(run=run, now=now)
        measurement_compute(results=results, now=now, resamples=60)
    rate_some(audit_draw(run=judging_run, size=30, seed=4, public_only=False, actor=None, now=now), chance)
    code, said = run_script(exported(study, tmp_path / "export", now))
    assert code == 0, said
    rows = [line.split() for line in said.splitlines() if "agreement: " in line or "audit_results: " in line]
    assert len(rows) == 78 + 1 + 2 * 2 + 2 * 11 + 3, said
    for agree, *_, what in rows:
        assert int(agree) >= 3, what
    assert_agree(said, "judge theta.change", "judge judge.confidence", "flow of answers_retained")
    assert_agree(
        said, "judge theta.change.ql", "agreement: average theta_change.ql", "agreement: top theta.ql"
    )
    assert_agree(said, "agreement: people theta_order", "agreement: average theta_moved.pool")
    assert_complete(said)


def rate_some(sample: AuditSample, chance: random.Random) -> None:
    """Two raters judge most of the drawn verdicts."""
    for item in sample.items.all():
        if chance.random() < 0.9:
            item.human_score, item.rater = chance.choice((0.0, 0.5, 1.0)), chance.choice(("r1", "r2"))
            item.rated_at = sample.drawn_at
            item.save()


def judged(judging_run: JudgingRun, run: ScoringRun, answer: Answer, chance: random.Random) -> None:
    """Scores of an answer's criteria, one in ten missing, and their mean."""
    scores = []
    rubric: list[Criterion | None] = [*answer.prompt.criteria.order_by("position")]
    for criterion in rubric or [None]:
        score = chance.choice((0.0, 0.3, 0.5, 1.0, 1.0)) if chance.random() > 0.1 else None
        scores.append(score)
        CriterionScore.objects.create(
            judging_run=judging_run, run=run, answer=answer, revision=answer.revision, criterion=criterion,
            available_at=run.started_at, decided_at=run.started_at, score=score, origin="asked",
            confidence=None if score is None else 1.0, state="unscored" if score is None else "scored",
            unscored_reason="reply_empty" if score is None else "",
        )  # fmt: skip
    known = [one for one in scores if one is not None]
    AnswerScore.objects.create(
        run=run, answer=answer, revision=answer.revision, score=sum(known) / len(known) if known else None,
        unscored_reason="" if known else "reply_empty", judged_at=run.started_at,
    )  # fmt: skip
