"""Fixtures shared by every kind of test. Rows are made through the real services wherever one exists."""

import itertools
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from pytest_django import Settings

from batches.models import Session
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.ending import (
    DeclaredResources,
    session_submit,
    session_withdraw,
    sessions_expire,
)
from batches.services.plans import batches_build
from batches.services.starting import session_start
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.consents import consent_record
from studies.services.participants import participant_add, participant_approve
from studies.services.studies import study_create, study_freeze


@pytest.fixture
def now() -> datetime:
    """A fixed moment: the clock is an argument everywhere below the interfaces."""
    return datetime(2030, 5, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real benchmark data, which is not part of the repository."""
    root = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("CHIRON_SHARED_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the real benchmark data are not at {folder}; set CHIRON_SHARED_DATA")
    return folder


@pytest.fixture(autouse=True)
def files_of_one_test(settings: Settings, tmp_path: Path) -> None:
    """No test writes into the data folder; static names need no collected manifest."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    if settings.CACHES["default"]["BACKEND"].endswith("FileBasedCache"):
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": tmp_path / "cache"}}
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a real file: threads and processes of a test share it as they do in operation."""
    if connection.vendor == "sqlite":
        folder = tmp_path_factory.mktemp("database")
        connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")


@pytest.fixture
def child_environment(transactional_db: None, tmp_path: Path) -> dict[str, str]:
    """The environment of a child process that works on this test's database."""
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{facts['NAME']}"
    else:
        login = facts["USER"] + (f":{facts['PASSWORD']}" if facts["PASSWORD"] else "")
        url = f"postgres://{login}@{facts['HOST']}:{facts['PORT'] or 5432}/{facts['NAME']}"
    return {**os.environ, "DATABASE_URL": url, "CHIRON_DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def clear_rate_limits(db: None) -> None:
    cache.clear()


@pytest.fixture
def make_study(now: datetime, tmp_path: Path) -> Callable[..., Study]:
    """Make a frozen study with built batches: `make_study(prompts=40, batch_size=20, …)`.

    `prompts` is a number of plain text prompts or the records themselves; other keywords are settings, and
    `closes_at`, `opens_at`, `slug`, `item_bank`, `root` (the folder of the records' attachments).
    """
    numbers = itertools.count(1)

    def make(
        *,
        prompts: int | list[PromptRecord] = 4,
        slug: str = "",
        closes_at: datetime | None = None,
        opens_at: datetime | None = None,
        root: Path = tmp_path,
        item_bank: ItemBank | None = None,
        **settings: object,
    ) -> Study:
        slug = slug or f"study-{next(numbers)}"
        records = plain_prompts(prompts) if isinstance(prompts, int) else prompts
        bank = BankRecord(format="chiron", prompts=tuple(records))
        reading = BankReading(bank=bank, problems=(), root=root)
        study = study_create(
            slug=slug,
            name=f"The study {slug}",
            bank_version=bank_import(slug=f"bank-{slug}", reading=reading, strict=True, now=now).version,
            item_bank=item_bank,
            judge_protocol=None,
            settings=ProtocolSettings.model_validate({"batch_size": 4, "assembly": "random", **settings}),
            opens_at=opens_at,
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


@pytest.fixture
def make_person(now: datetime) -> Callable[..., Participant]:
    """Add an approved person who has consented: `make_person(study, profile="stem-phd", is_test=False)`."""
    numbers = itertools.count(1)

    def make(study: Study, *, profile: str = "stem-phd", is_test: bool = False) -> Participant:
        email = f"person{next(numbers)}@example.org"
        participant = participant_add(study=study, email=email, profile=profile, is_test=is_test, now=now)
        participant = participant_approve(participant=participant, now=now)
        consent_record(participant=participant, accepted=True, now=now)
        return participant

    return make


@pytest.fixture
def work(now: datetime) -> Callable[..., Session]:
    """Let a person start, write and end: `work(person, {"p001": "text"}, end="submitted")`.

    `end` is "submitted", "expired", "withdrawn" or "active". A prompt given "" is seen and left; one that is
    not named is never opened.
    """

    def run(participant: Participant, answers: dict[str, str], *, end: str = "submitted") -> Session:
        session = session_start(participant=participant, now=now)
        for answer in session.answers.select_related("prompt"):
            if (text := answers.get(answer.prompt.prompt_id)) is not None:
                prompt_seen(session=session, position=answer.position, now=now)
                write(session, answer.position, text, now)
        end_session(session, end, now)
        session.refresh_from_db()
        return session

    return run


def write(session: Session, position: int, text: str, now: datetime) -> None:
    if text:
        incoming = IncomingText(text=text, base_revision=0, tab="one", sequence=1)
        user_id = session.participant.user_id
        answer_save(user_id=user_id, session_id=session.pk, position=position, incoming=incoming, now=now)


def end_session(session: Session, end: str, now: datetime) -> None:
    at = now + timedelta(hours=1)
    if end == "submitted":
        books = DeclaredResources(categories=("Books",), note="")
        session_submit(session=session, resources=books, now=at)
    elif end == "withdrawn":
        session_withdraw(participant=session.participant, now=at)
    elif end == "expired":
        sessions_expire(now=session.deadline_at + timedelta(hours=1))
