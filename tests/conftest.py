"""What every kind of test has: a clock, files, a broker and a database of its own."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test import TransactionTestCase, override_settings
from django.utils import translation
from pytest_django import DjangoDbBlocker, Settings

from batches.services.clock import clock_confirm
from config.celery import app
from studies.services import clock
from tests.support.tables import migrations_record

pytest_plugins = [
    "tests.support.lock_order",
    "tests.support.made_once",
    "tests.support.made_rows",
    "tests.upgrades.databases",
]

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
    settings.DATA_DIR = tmp_path / "data"
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
    """Messages go to files in this folder, and workers of this process would take them there."""
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
    broker = {"BACKEND": "studies.services.brokers.files.FileBroker", "LOCATION": str(folder)}
    with override_settings(BROKER=broker):
        yield
    app.conf.update(before)


@pytest.fixture(scope="session", autouse=True)
def passwords_hashed_quickly() -> Iterator[None]:
    """A real hash takes a fifth of a second on purpose; no test is about that."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session", autouse=True)
def host_clock_taken() -> None:
    """Pages ask the database for the time once a minute; only with `fresh_clock`, as tests count queries."""
    clock._known._asked_at = float("inf")


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
def django_db_use_migrations() -> bool:
    """Tables are made of the models as they are now, in a twentieth of the time that all migrations take.

    Migrations run in tests/upgrades, in the frozen studies and in the demo.
    """
    return False


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """What a test committed is deleted: the TRUNCATE of Django waits for the disk once for each table."""
    django_settings.MIGRATION_MODULES = {}
    with django_db_blocker.unblock():
        migrations_record()
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
        own = override_settings(MEDIA_ROOT=folder / "media", DATA_DIR=folder / "data")
        with broker_in(folder / "broker"), own:
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
    return {**os.environ, **own}
