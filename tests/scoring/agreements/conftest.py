"""Studies judged by hand and on real judge servers."""

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest

from batches.models import Answer, Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from studies.models import ItemBank, Participant, Study
from studies.services.banks import item_bank_import
from tests.scoring.agreements.agreement_rows import Value, rubric_prompts


@pytest.fixture
def items(now: datetime) -> ItemBank:
    parameters = ItemParameters(
        tuple(ItemParameter(f"p{n:03d}", a=(n + 5) // 2 / 4, b=(n - 3) // 2 / 2) for n in range(1, 5)),
        squeeze_scale=0.998,
        squeeze_offset=0.001,
        sigma_hat=2.5,
    )
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def judged_by_hand(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    now: datetime,
) -> Callable[..., tuple[Study, list[ScoringRun]]]:
    """A study whose judges gave exactly these scores: `judged([x of each answer], [y of each answer], …)`.

    One person for each answer, on a prompt with one criterion, of several in turn; None is unscored.
    """

    def make(
        *judges: Sequence[Value], study: Study | None = None, prompts: Sequence[str] = ("p001",)
    ) -> tuple[Study, list[ScoringRun]]:
        study = study or make_study(prompts=rubric_prompts(4, 1), replicates_per_profile=50)
        for number in range(len(judges[0])):
            work(make_person(study), {f"p{n:03d}": f"Answer {number}" for n in (1, 2, 3, 4)})
        people = Participant.objects.filter(study=study).order_by("code")
        answers = [
            Answer.objects.get(session__participant=one, prompt__prompt_id=prompts[place % len(prompts)])
            for place, one in enumerate(people)
        ]
        Answer.objects.exclude(pk__in=[one.pk for one in answers]).update(has_text=False)
        judging_run = JudgingRun.objects.create(
            study=study, state="finished", planned=0, estimate=[], plan_sha256="0", started_at=now,
            resumed_at=now, ended_at=now,
        )  # fmt: skip
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
