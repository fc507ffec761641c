"""Studies whose answers wait for a judge, for benchmarks and fault tests; imported after Django is set up."""

from collections.abc import Iterator
from typing import Any

from batches.models import Answer, Session
from benchmarks.made_studies import (
    NOW,
    ROWS_PER_INSERT,
    bank_reading,
    frozen_study,
    insert,
    submitted_sessions,
)
from judging.models import JudgeConfig
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Prompt, Study

SENTENCE = "It follows from what was measured before, as the second table shows. "
ANSWER_CHARACTERS = 1000


def judged_study(
    *, slug: str = "judged", people: int, prompts: int = 20, criteria: float = 3, **settings: object
) -> Study:
    """A frozen study in which `people` submitted a batch of `prompts`, each answer a different text."""
    asked = {"batch_size": prompts, "replicates_per_profile": 1000, "assembly": "random", **settings}
    study = frozen_study(slug, bank_reading(prompt_records(prompts, criteria)), asked)
    stored = list(Prompt.objects.filter(version=study.bank_version))
    for start in range(0, people, ROWS_PER_INSERT // prompts):
        numbers = range(start, min(people, start + ROWS_PER_INSERT // prompts))
        insert(
            Answer(
                session=session, prompt=prompt, position=position, text=text_of(session, prompt),
                has_text=True, revision=1,
            )
            for session in submitted_sessions(study, numbers, ["stem-phd"])
            for position, prompt in enumerate(stored, start=1)
        )  # fmt: skip
    return study


def prompt_records(prompts: int, criteria: float) -> Iterator[PromptRecord]:
    for n in range(1, prompts + 1):
        parts = (
            CriterionRecord(text=f"Names part {c} of answer {n}.") for c in range(criteria_of(n, criteria))
        )
        yield PromptRecord(
            prompt_id=f"p{n:03d}",
            text=f"Question {n}? Give the reason, too.",
            gold_answer=f"The answer {n}.",
            criteria=tuple(parts),
        )


def criteria_of(number: int, mean: float) -> int:
    """So many criteria has this prompt, where all have `mean` on average: 3 and 4 in turn for 3.5."""
    return int(mean * number) - int(mean * (number - 1))


def text_of(session: Session, prompt: Prompt) -> str:
    head = f"{session.participant.code} on {prompt.prompt_id}: "
    return (head + SENTENCE * (ANSWER_CHARACTERS // len(SENTENCE) + 1))[:ANSWER_CHARACTERS]


def judge_config(url: str, *, slug: str = "judge", **fields: object) -> JudgeConfig:
    """A judge at this address; `fields` are the model's own."""
    values: dict[str, Any] = {"model": "judge-1", "provider": "generic", "created_at": NOW, **fields}
    return JudgeConfig.objects.create(slug=slug, base_url=url, **values)
