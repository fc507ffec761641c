"""Studies of eight prompts, some of them private, scored by two judges, with a rated audit."""

import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AuditItem, AuditSample, JudgeConfig, JudgingRun, ScoringRun
from judging.services.audits import audit_draw
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.support.judged_study import (
    JUDGED,
    NAMES,
    PEOPLE,
    PRIVATE,
    RUBRIC,
    compute,
    exported,
    judge_all,
)


@pytest.fixture(scope="module")
def make_judged(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    now: datetime,
) -> Callable[..., Study]:
    """Make a study of eight prompts, these of them private, scored by two judges, with a rated audit.

    `computes`: what is computed of the scores; everything that a report shows unless told.
    """

    def make(private: list[str], computes: Callable[[Study, datetime], object] = compute) -> Study:
        chance = random.Random(9)
        items = tuple(ItemParameter(name, a=1 + n / 10, b=n / 5 - 1) for n, name in enumerate(NAMES))
        parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
        bank, _ = item_bank_import(slug=f"items-{len(private)}", parameters=parameters, now=now)
        prompts = [
            PromptRecord(
                prompt_id=name, text=f"Question {name}?", gold_answer=name, criteria=RUBRIC,
                split="private" if name in private else "public",
            )
            for name in NAMES
        ]  # fmt: skip
        study = make_study(
            prompts=prompts, slug=f"private-{len(private)}", batch_size=8, replicates_per_profile=50,
            item_bank=bank, top_size=3, reviewers_see_private=True,
        )  # fmt: skip
        for number in range(PEOPLE):
            work(make_person(study), {name: f"Answer {number}" for name in NAMES if chance.random() < 0.9})
        judging_run = JudgingRun.objects.create(
            study=study, state="finished", planned=0, estimate=[], plan_sha256="0", started_at=now,
            resumed_at=now, ended_at=now,
        )  # fmt: skip
        for name in JUDGED:
            config = make_judge("http://127.0.0.1:9/v1", slug=f"judge-{name}-{len(private)}")
            run = ScoringRun.objects.create(
                study=study, config=config, judge_kind="llm", judge={}, judge_sha256=name * 64,
                protocol_hash=study.protocol_hash, design_hash=study.design_hash, started_at=now,
            )  # fmt: skip
            judge_all(judging_run, run, chance)
        sample = audit_draw(run=judging_run, size=70, seed=4, public_only=False, actor=None, now=now)
        for item in sample.items.all():
            if chance.random() < 0.95:
                human_score, rater = chance.choice((0.0, 0.5, 1.0)), chance.choice(("r1", "r2"))
                AuditItem.objects.filter(pk=item.pk).update(
                    human_score=human_score, rater=rater, rated_at=now
                )
        computes(study, now)
        return study

    return make


@pytest.fixture(scope="module")
def computes() -> Callable[[Study, datetime], object]:
    """What is computed of the module's study."""
    return compute


@pytest.fixture(scope="module")
def judged(
    kept: None, make_judged: Callable[..., Study], computes: Callable[[Study, datetime], object]
) -> Study:
    """Three of the eight prompts are private."""
    return make_judged(PRIVATE, computes)


@pytest.fixture(scope="module")
def folder(judged: Study, tmp_path_factory: pytest.TempPathFactory, now: datetime) -> Path:
    """Its export, which tests only read."""
    return exported(judged, tmp_path_factory.mktemp("private") / "out", now)


@pytest.fixture
def study(judged: Study, db: None) -> Study:
    return Study.objects.get(pk=judged.pk)


@pytest.fixture
def sample(study: Study) -> AuditSample:
    return AuditSample.objects.get()
