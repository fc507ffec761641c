"""What benchmarks make of a study: frozen through the services, its people and their sessions as rows.

Through the pages, hundreds of people would take minutes. Imported after Django is set up.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import Model

from batches.models import Batch, Session
from batches.services.plans import batches_build
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.studies import study_create, study_freeze

NOW = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)
ROWS_PER_INSERT = 2000


def bank_reading(prompts: Iterable[PromptRecord]) -> BankReading:
    """A bank of these prompts, as if it had been read from a file."""
    return BankReading(bank=BankRecord(format="chiron", prompts=tuple(prompts)), problems=(), root=Path())


def frozen_study(
    slug: str,
    reading: BankReading,
    settings: Mapping[str, object],
    *,
    item_bank: ItemBank | None = None,
    now: datetime = NOW,
) -> Study:
    """A frozen study on this bank, its batches built; `settings` are the protocol's."""
    study = study_create(
        slug=slug,
        name=f"The study {slug}",
        bank_version=bank_import(slug=slug, reading=reading, strict=True, now=now).version,
        item_bank=item_bank,
        judge_protocol=None,
        settings=ProtocolSettings.model_validate(settings),
        now=now,
    )
    batches_build(study=study, now=now)
    return study_freeze(study=study, now=now)


def submitted_sessions(study: Study, numbers: Sequence[int], profiles: Sequence[str]) -> list[Session]:
    """Submitted sessions, without answers, of the people with these numbers: batches and profiles in turn."""
    batches = list(Batch.objects.filter(plan__study=study).order_by("number"))
    users = insert(User(email=f"{study.slug}-{n}@example.org") for n in numbers)
    people = insert(
        Participant(
            study=study, user=user, code=f"P-{n:06d}", profile=profiles[n % len(profiles)],
            vetting_status="approved", submitted_at=NOW,
        )
        for n, user in zip(numbers, users, strict=True)
    )  # fmt: skip
    return insert(
        Session(
            participant=person, batch=batches[n % len(batches)], status="submitted", started_at=NOW,
            deadline_at=NOW + timedelta(hours=5), ended_at=NOW + timedelta(hours=4),
            overdue_rule="saved_counts", late_tolerance_seconds=10, answer_max_characters=100_000,
        )
        for n, person in zip(numbers, people, strict=True)
    )  # fmt: skip


def insert(rows: Iterable[Model]) -> list[Any]:
    """Store the rows; gives them with their keys."""
    made = list(rows)
    return list(type(made[0])._default_manager.bulk_create(made, batch_size=ROWS_PER_INSERT)) if made else []
