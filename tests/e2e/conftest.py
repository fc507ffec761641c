"""Real browsers at a real server: Debian's Chromium, granian, the worker with its beat, a database on disk.

The tests and the server share one database, so everything here is committed, nothing is rolled back, and
every test makes a study of its own. Every page fails its test on a violation of the Content Security Policy,
an uncaught script error, a request to another host or an answer of 500 and above.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.db.models import F
from django.http import HttpRequest
from django.test import override_settings
from django.test.utils import setup_databases, teardown_databases
from django.utils import timezone
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response, WebError, expect
from pytest_django import DjangoDbBlocker

from batches.models import Session
from batches.services.clock import clock_confirm
from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.servers import MANY_FROM_ONE_ADDRESS, background_worker, stop
from studies.models import User
from tests.e2e.browsers import BROWSER_ARGUMENTS, installed
from tests.e2e.looking import faults_in_looks
from tests.e2e.made_rows import begin, make_person, make_study, staff  # noqa: F401
from tests.e2e.serving import Server
from tests.e2e.waiting import wait_until
from tests.support.tables import migrations_record

# Playwright's event loop runs in this thread; the tests use the database between its turns, never within.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
TEST_SECONDS = 240
# How long a busy machine may take. What proves that something comes soon says its own time.
EXPECT_MS = 30_000
# The policy's violations reach the console as they happen, from frames, too.
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`Content Security Policy: ${event.violatedDirective} blocked ${event.blockedURI}`));
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/e2e" in item.path.as_posix() and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


# --- the browser -------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Chromium without windows, in half the processor time; the whole one where that is absent."""
    path = installed("chromium-headless-shell", "chromium")
    expect.set_options(timeout=EXPECT_MS)
    return {**browser_type_launch_args, "executable_path": path, "args": [*BROWSER_ARGUMENTS]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any], site: str) -> dict[str, Any]:
    return {
        **browser_context_args,
        "base_url": site,
        "locale": "en-GB",
        "timezone_id": "America/New_York",
    }


@pytest.fixture
def faults() -> list[str]:
    """What the pages of a test did wrong. A test that provokes a fault removes it from here."""
    return []


@pytest.fixture
def new_device(
    new_context: Callable[..., BrowserContext], site: str, faults: list[str]
) -> Iterator[Callable[..., BrowserContext]]:
    """A browser of its own: `new_device(user, viewport=…)`; signed in where a user is given."""
    contexts = []

    def new(user: User | None = None, **arguments: Any) -> BrowserContext:
        context = new_context(**{"viewport": {"width": 1280, "height": 800}, **arguments})
        contexts.append(context)
        context.set_default_timeout(EXPECT_MS)
        watch(context, site, faults)
        if user is not None:
            sign_in(context, user, site)
        return context

    yield new
    # Closing waits for what the pages still report.
    for context in contexts:
        context.close()
    assert faults == []


def watch(context: BrowserContext, site: str, faults: list[str]) -> None:
    """Write down what no page may do."""

    def failed(error: WebError) -> None:
        faults.append(f"script error: {error.error}")

    def said(line: ConsoleMessage) -> None:
        if "Content Security Policy" in line.text:
            faults.append(line.text)

    def requested(request: Request) -> None:
        if request.url.startswith(("http", "ws")) and not request.url.startswith(f"{site}/"):
            faults.append(f"request to another host: {request.url}")

    def answered(response: Response) -> None:
        # A busy server may refuse a poll, and pages say nothing of it.
        if response.status >= 500 and "x-busy" not in response.headers:
            faults.append(f"HTTP {response.status} from {response.url}")

    context.add_init_script(REPORT_VIOLATIONS)
    context.on("request", requested)
    context.on("response", answered)
    context.on("weberror", failed)
    context.on("console", said)


def sign_in(context: BrowserContext, user: User, site: str) -> None:
    """Give the browser the cookie of a sign-in; the real way is tested in test_e2e_path.py."""
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = django_settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    if user.is_staff:  # who has proved a second factor, too
        request = HttpRequest()
        request.session = store
        record_authentication(request, user, method="mfa", type="totp", reauthenticated=True)
    store.create()
    assert store.session_key is not None
    cookie = {"name": django_settings.SESSION_COOKIE_NAME, "value": store.session_key, "url": site}
    context.add_cookies([{**cookie, "httpOnly": True}])  # type: ignore[typeddict-item]  # a plain dict will do


# --- what a page looks like --------------------------------------------------------------------------


@pytest.fixture
def looks() -> Callable[..., list[str]]:
    """What is wrong with a page: `looks(page, "label")`; `again=False` where that loses its state."""
    return lambda page, label, *, again=True: list(faults_in_looks(page, label, again=again))


# --- the server --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def committed(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, data_folder: Path
) -> Iterator[None]:
    """A database of this run's own, of the models: a file, or one on the server of DATABASE_URL."""
    names = {"sqlite": str(data_folder / "chiron.sqlite3"), "postgresql": f"chiron_e2e_{os.getpid()}"}
    connection.settings_dict["TEST"].update(NAME=names[connection.vendor], MIGRATE=False)
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=data_folder / "media"):
        made = setup_databases(verbosity=0, interactive=False, aliases={"default": None})
        migrations_record()
        yield
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session")
def environment(committed: None, data_folder: Path) -> dict[str, str]:
    """What makes another process work on this run's database and files."""
    facts = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{facts['NAME']}"
    else:
        login = facts["USER"] + (f":{facts['PASSWORD']}" if facts["PASSWORD"] else "")
        url = f"postgres://{login}@{facts['HOST']}:{facts['PORT'] or 5432}/{facts['NAME']}"
    # Sign-in cookies made here are valid there under one key.
    key = django_settings.SECRET_KEY
    return {
        **MANY_FROM_ONE_ADDRESS,
        "DATABASE_URL": url,
        "CHIRON_DATA_DIR": str(data_folder),
        "CHIRON_SECRET_KEY": key,
        "CHIRON_SECOND_FACTOR_KEYS": ",".join(django_settings.SECOND_FACTOR_KEYS),
    }


@pytest.fixture(scope="session")
def server(environment: dict[str, str], data_folder: Path, static_files: Path) -> Iterator[Server]:
    shutil.copytree(static_files, data_folder / "static")
    running = Server(environment, data_folder / "web.log")
    running.start()
    yield running
    stop(running.child)
    running.kill()


@pytest.fixture(scope="session")
def site(server: Server) -> str:
    """The address of the running site."""
    return server.url


@pytest.fixture(scope="session")
def sweep(environment: dict[str, str], data_folder: Path) -> Iterator[None]:
    """The worker with its beat, which ends sessions at their deadline and mails codes.

    It starts with the first test that wants it. Where the ones before stored nothing for two minutes, it
    would take the site for one that was off, and end no session for ten: its clock is right.
    """
    clock_confirm(reason="The tests before were slow")
    connection.close()
    with background_worker(environment=environment, log=data_folder / "worker.log"):
        yield


@pytest.fixture
def mailbox(sweep: None, data_folder: Path) -> Mailbox:
    """What the worker mails."""
    return Mailbox(data_folder / "mail")


# --- studies and people ------------------------------------------------------------------------------


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture(autouse=True)
def files_of_one_test(committed: None) -> Iterator[None]:
    """Instead of the folder per test that other tests have: the server has one for the whole run."""
    yield
    # Beside Playwright's loop Django has a second connection; nothing else would close it.
    connection.close()


@pytest.fixture(scope="session")
def pass_time(committed: None) -> Callable[..., None]:
    """On the server, time goes by until a session's last seconds: `pass_time(session, left=4, page=page)`.

    The open page hears of it. However slowly it opened, all of these seconds are left.
    """

    def pass_by(session: Session, *, left: float, page: Page | None = None) -> None:
        passed = session.deadline_at - timezone.now() - timedelta(seconds=left)
        Session.objects.filter(pk=session.pk).update(
            started_at=F("started_at") - passed, deadline_at=F("deadline_at") - passed
        )
        session.refresh_from_db()
        if page is not None:
            hear(page)

    def hear(page: Page) -> None:
        """A question that was under way brings the time from before: ask again, not at the next poll."""

        def heard() -> bool:
            page.evaluate("window.dispatchEvent(new Event('focus'))")
            return re.fullmatch(r"\d+ s", page.locator("[data-time-left]").inner_text()) is not None

        wait_until(page, heard, "the page hears that time went by")

    return pass_by


@pytest.fixture
def open_prompt(new_device: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """The answering page: `open_prompt(session, position=2)`, on `device` or on a new one of the person."""

    def show(session: Session, position: int = 1, *, device: BrowserContext | None = None) -> Page:
        page = (device or new_device(session.participant.user)).new_page()
        response = page.goto(f"/sessions/{session.pk}/prompts/{position}/")
        assert response is not None
        assert response.status == 200, page.inner_text("body")
        assert "/prompts/" in page.url
        return page

    return show
