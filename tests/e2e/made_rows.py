"""Fixtures that make committed rows: studies, people, staff and sessions on the server's database."""

import hashlib
import itertools
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from batches.models import Session
from batches.services.plans import batches_build
from batches.services.starting import session_start
from studies.bank.building import BankReading
from studies.bank.records import AttachmentRecord, BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve
from studies.services.staff.staff import staff_add
from studies.services.studies import study_create, study_freeze

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def make_study(committed: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Study]:
    """A frozen study with batches: `make_study(prompts=2, batch_size=2, …)`; other keywords are settings.

    Nobody is drawn for a second reading.
    """

    def make(
        *,
        prompts: int | list[PromptRecord] = 3,
        closes_at: datetime | None = None,
        root: Path | None = None,
        name: str = "",
        item_bank: ItemBank | None = None,
        **settings: object,
    ) -> Study:
        now, slug = timezone.now() - timedelta(days=1), f"e2e-{next(NUMBERS)}"
        records = plain_prompts(prompts) if isinstance(prompts, int) else prompts
        reading = BankReading(
            bank=BankRecord(format="chiron", prompts=tuple(records)), problems=(), root=root or Path()
        )
        usual = {"assembly": "random", "replicates_per_profile": 9, "second_share": None}
        values = {"batch_size": len(records), **usual, **settings}
        study = study_create(
            slug=slug,
            name=name or f"The study {slug}",
            bank_version=bank_import(slug=f"bank-{slug}", reading=reading, strict=True, now=now).version,
            item_bank=item_bank,
            judge_protocol=None,
            settings=ProtocolSettings.model_validate(values),
            opens_at=None,
            closes_at=closes_at,
            now=now,
        )
        batches_build(study=study, now=now)
        return study_freeze(study=study, now=now)

    return make


def plain_prompts(number: int) -> list[PromptRecord]:
    return [
        PromptRecord(prompt_id=f"p{n:03d}", text=f"Question {n}?", gold_answer=str(n), category="QR")
        for n in range(1, number + 1)
    ]


@pytest.fixture(scope="session")
def make_person(committed: None) -> Callable[..., Participant]:
    """An approved person who has consented a day ago: `make_person(study, consented=False)`."""

    def make(study: Study, *, consented: bool = True, profile: str = "stem-phd") -> Participant:
        now = timezone.now() - timedelta(days=1)
        email = f"person{next(NUMBERS)}@example.org"
        participant = participant_add(study=study, email=email, profile=profile, now=now)
        participant = participant_approve(participant=participant, now=now)
        if consented:
            consent_record(participant=participant, accepted=True, now=now)
        return participant

    return make


@pytest.fixture(scope="session")
def staff(committed: None) -> User:
    """Somebody of the study team."""
    return staff_add(email=f"lead{next(NUMBERS)}@example.org", superuser=True)[0]


@pytest.fixture(scope="session")
def begin(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> Callable[..., Session]:
    """A running session, begun so long ago that `seconds_left` remain: `begin(study, seconds_left=600)`."""

    def start(study: Study | None = None, *, seconds_left: float | None = None, **settings: Any) -> Session:
        study = study or make_study(**settings)
        participant = make_person(study)
        budget = study.protocol.time_budget_minutes * 60
        passed = timedelta(seconds=0 if seconds_left is None else budget - seconds_left)
        return session_start(participant=participant, now=timezone.now() - passed)

    return start


def attachment(folder: Path, name: str, media_type: str, content: bytes) -> AttachmentRecord:
    (folder / name).write_bytes(content)
    return AttachmentRecord(
        name=name,
        path=name,
        media_type=media_type,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )
