"""Fixtures shared by every kind of test. Rows are made through the real services wherever one exists."""

import gc
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import hypothesis
import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test import Client, TransactionTestCase, override_settings
from django.utils import timezone, translation
from hashed_judge.running import RunningJudge, judge_server
from pytest_django import DjangoDbBlocker, Settings

from batches.models import Session
from batches.services import clock
from batches.services.answers import IncomingText, answer_save, prompt_seen
from batches.services.clock import clock_confirm
from batches.services.ending import (
    DeclaredResources,
    session_submit,
    session_withdraw,
    sessions_expire,
)
from batches.services.plans import batches_build
from batches.services.starting import session_start
from config.celery import app
from judging.models import JudgeConfig
from judging.services.running.judge_specs import study_judge_specs
from scoring.coordinator import Scoring, study_score
from screening.models import VerdictDecision
from screening.selectors.participants import undecided_participants
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve
from studies.services.studies import study_create, study_freeze

# Property tests try the same examples in every run, and none fails because the machine is busy.
hypothesis.settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("steady")


def pytest_collection_finish() -> None:
    """Modules and thousands of collected tests stay to the end: the garbage collector need not walk them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
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
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def broker_of_one_test(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Hints that the code under test sends stay in the test's own folder: nobody's workers hear of them."""
    settings.CELERY_BROKER_URL = "files"
    with broker_in(tmp_path / "broker"):
        yield


@contextmanager
def broker_in(folder: Path) -> Iterator[None]:
    folders = {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
    }
    own = {
        "broker_url": "files",
        "broker_transport": "config.file_broker:Transport",
        "broker_transport_options": folders,
    }
    before = {name: app.conf[name] for name in own}
    app.conf.update(own)
    yield
    app.conf.update(before)


@pytest.fixture(autouse=True)
def language_of_one_test() -> Iterator[None]:
    """A page in German leaves its language to the thread: the next test begins without."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def staff_without_second_factor(settings: Settings) -> None:
    """Tests of staff pages sign in without one; test_second_factor.py switches it on again."""
    settings.STAFF_SECOND_FACTOR = False


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a real file: threads and processes of a test share it as they do in operation."""
    options = connection.settings_dict["OPTIONS"]
    # No test cuts the power (tests/faults do worse, to servers of their own): nothing waits for the disk.
    if connection.vendor == "sqlite":
        folder = tmp_path_factory.mktemp("database")
        connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
    else:
        options["options"] = "-c synchronous_commit=off"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """What a test committed is deleted: the TRUNCATE of Django waits for the disk once for each table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", delete_rows)
        yield


def delete_rows(_test: TransactionTestCase | None = None) -> None:
    """Rows that migrations made (content types, permissions) stay, so that none has to make them again."""
    made = {ContentType._meta.db_table, Permission._meta.db_table}
    with transaction.atomic(), connection.cursor() as cursor:
        for table in sorted(set(connection.introspection.django_table_names()) - made):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608  # our own names


@pytest.fixture(scope="module")
def kept(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """For what is dear to make: rows of a module's fixtures stay until its last test.

    Its tests must be marked with plain `django_db`: each is rolled back to these rows.
    """
    folder = tmp_path_factory.mktemp("kept")
    with django_db_blocker.unblock():
        with broker_in(folder / "broker"), override_settings(MEDIA_ROOT=folder / "media"):
            yield
        delete_rows()


@pytest.fixture
def fresh_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has asked for no time yet and said nothing of its clock."""
    monkeypatch.setattr(clock, "_known", clock._Known())
    monkeypatch.setattr(clock, "_said", {})


@pytest.fixture
def sure_clock(db: None) -> None:
    """The machine's clock is believed, whatever years the test's rows are of."""
    clock_confirm(reason="A test began")


@pytest.fixture
def child_environment(transactional_db: None, tmp_path: Path) -> dict[str, str]:
    """The environment of a child process that works on this test's database."""
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{facts['NAME']}"
    else:
        login = facts["USER"] + (f":{facts['PASSWORD']}" if facts["PASSWORD"] else "")
        url = f"postgres://{login}@{facts['HOST']}:{facts['PORT'] or 5432}/{facts['NAME']}"
    own = {"DATABASE_URL": url, "CHIRON_DATA_DIR": str(tmp_path / "data")}
    # A worker loads all pages to check them; `make check` has done that.
    return {**os.environ, **own, "CELERY_SKIP_CHECKS": "yes"}


@pytest.fixture
def lead() -> User:
    """Somebody of the study team who may do everything."""
    return User.objects.create_superuser("lead@example.org")


@pytest.fixture
def staff(client: Client, lead: User) -> Client:
    """The lead's browser."""
    client.force_login(lead)
    client.get("/")  # the first request notes in the session when it ends
    return client


@pytest.fixture(scope="session")
def make_study(now: datetime) -> Callable[..., Study]:
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
        root: Path | None = None,
        item_bank: ItemBank | None = None,
        **settings: object,
    ) -> Study:
        slug = slug or f"study-{next(numbers)}"
        records = plain_prompts(prompts) if isinstance(prompts, int) else prompts
        bank = BankRecord(format="chiron", prompts=tuple(records))
        reading = BankReading(bank=bank, problems=(), root=root or Path())
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


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
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


@pytest.fixture
def judge_endpoint(tmp_path: Path) -> Iterator[RunningJudge]:
    """A judge server of its own: its verdicts follow from the request alone, and it logs what arrives."""
    with judge_server(log=tmp_path / "judge.log", latency_ms=2) as running:
        yield running


@pytest.fixture(scope="session")
def make_judge(now: datetime) -> Callable[..., JudgeConfig]:
    """Add a judge: `make_judge(url, slug="judge", **fields)`."""

    def make(url: str, slug: str = "judge", **fields: object) -> JudgeConfig:
        facts = {"model": "judge-1", "provider": "generic", "created_at": now, **fields}
        return JudgeConfig.objects.create(slug=slug, base_url=url, **facts)

    return make


@pytest.fixture
def running_clock(now: datetime) -> Callable[[], datetime]:
    """A clock that shows `now` at first and goes on from there."""
    began = timezone.now()
    return lambda: now + (timezone.now() - began)


@pytest.fixture
def score(settings: Settings, running_clock: Callable[[], datetime]) -> Callable[..., Scoring]:
    """Screen, judge and compute: `score(study, judge, …)`; no judge where the study's own computes.

    What failed is asked again without a wait.
    """
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    return partial(scored, clock=running_clock)


@pytest.fixture(scope="session")
def score_at() -> Callable[..., Scoring]:
    """The same where there is no one test: `score_at(study, judge, …, clock=…)`."""
    return scored


def scored(
    study: Study,
    *judges: JudgeConfig,
    replicates: int = 1,
    budget: Decimal | None = None,
    clock: Callable[[], datetime],
) -> Scoring:
    study.refresh_from_db()
    return study_score(
        study=study,
        specs=study_judge_specs(study=study, configs=judges, replicates=replicates),
        budget=budget,
        actor=None,
        clock=clock,
        planning=no_progress,
        judging=no_progress,
    )


@pytest.fixture(scope="session")
def keep_flagged() -> Callable[[Study, datetime], None]:
    """Screen a study and keep everybody who is flagged: `keep_flagged(study, now)`."""

    def keep(study: Study, now: datetime) -> None:
        study_screen(study=study, now=now)
        reviewer, _ = User.objects.get_or_create(email="reviewer@example.org", defaults={"is_staff": True})
        for person in undecided_participants(study):
            verdict_record(
                participant=person, decision=VerdictDecision.OVERTURN, reason="1", actor=reviewer, now=now
            )

    return keep


def no_progress(done: int, total: int) -> None:
    """Nobody watches a test."""
