"""Studies whose answers wait for a judge, for benchmarks and fault tests; imported after Django is set up.

Answers are rows: through the pages, hundreds of people would take minutes.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import Model

from batches.models import Answer, Batch, Session
from batches.services.plans import batches_build
from judging.models import JudgeConfig
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, CriterionRecord, PromptRecord
from studies.models import Participant, Prompt, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.studies import study_create, study_freeze

NOW = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)
ROWS_PER_INSERT = 2000
SENTENCE = "It follows from what was measured before, as the second table shows. "
ANSWER_CHARACTERS = 1000


def judged_study(
    *, slug: str = "judged", people: int, prompts: int = 20, criteria: float = 3, **settings: object
) -> Study:
    """A frozen study in which `people` submitted a batch of `prompts`, each answer a different text."""
    study = frozen_study(slug, prompts, criteria, settings)
    batch = Batch.objects.get(plan__study=study)
    for start in range(0, people, ROWS_PER_INSERT // prompts):
        numbers = range(start, min(people, start + ROWS_PER_INSERT // prompts))
        submit(study, batch, numbers)
    return study


def frozen_study(slug: str, prompts: int, criteria: float, settings: dict[str, object]) -> Study:
    texts = tuple(
        PromptRecord(
            prompt_id=f"p{n:03d}",
            text=f"Question {n}? Give the reason, too.",
            gold_answer=f"The answer {n}.",
            criteria=tuple(
                CriterionRecord(text=f"Names part {c} of answer {n}.")
                for c in range(criteria_of(n, criteria))
            ),
        )
        for n in range(1, prompts + 1)
    )
    reading = BankReading(bank=BankRecord(format="chiron", prompts=texts), problems=(), root=Path())
    study = study_create(
        slug=slug,
        name=f"The study {slug}",
        bank_version=bank_import(slug=slug, reading=reading, strict=True, now=NOW).version,
        item_bank=None,
        judge_protocol=None,
        settings=ProtocolSettings.model_validate(
            {"batch_size": prompts, "replicates_per_profile": 1000, "assembly": "random", **settings}
        ),
        now=NOW,
    )
    batches_build(study=study, now=NOW)
    return study_freeze(study=study, now=NOW)


def criteria_of(number: int, mean: float) -> int:
    """So many criteria has this prompt, where all have `mean` on average: 3 and 4 in turn for 3.5."""
    return int(mean * number) - int(mean * (number - 1))


def submit(study: Study, batch: Batch, numbers: Iterable[int]) -> None:
    """Submitted sessions of these people, with their answers."""
    numbers = list(numbers)
    users = insert(User(email=f"{study.slug}-{n}@example.org") for n in numbers)
    people = insert(
        Participant(
            study=study, user=user, code=f"P-{n:06d}", profile="stem-phd", vetting_status="approved",
            submitted_at=NOW,
        )
        for n, user in zip(numbers, users, strict=True)
    )  # fmt: skip
    sessions = insert(
        Session(
            participant=person,
            batch=batch,
            status="submitted",
            started_at=NOW,
            deadline_at=NOW + timedelta(hours=5),
            ended_at=NOW + timedelta(hours=4),
            overdue_rule="saved_counts",
            late_tolerance_seconds=10,
            answer_max_characters=100_000,
        )
        for person in people
    )
    prompts = list(Prompt.objects.filter(version=study.bank_version))
    insert(
        Answer(
            session=session, prompt=prompt, position=position, text=text_of(session, prompt), has_text=True,
            revision=1,
        )
        for session in sessions
        for position, prompt in enumerate(prompts, start=1)
    )  # fmt: skip


def text_of(session: Session, prompt: Prompt) -> str:
    head = f"{session.participant.code} on {prompt.prompt_id}: "
    return (head + SENTENCE * (ANSWER_CHARACTERS // len(SENTENCE) + 1))[:ANSWER_CHARACTERS]


def judge_config(url: str, *, slug: str = "judge", **fields: object) -> JudgeConfig:
    """A judge at this address; `fields` are the model's own."""
    values: dict[str, Any] = {"model": "judge-1", "provider": "generic", "created_at": NOW, **fields}
    return JudgeConfig.objects.create(slug=slug, base_url=url, **values)


def insert(rows: Iterable[Model]) -> list[Any]:
    made = list(rows)
    return list(type(made[0])._default_manager.bulk_create(made, batch_size=ROWS_PER_INSERT)) if made else []
