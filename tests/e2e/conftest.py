"""Real browsers at a real server: Debian's Chromium, granian, the worker with its beat, a database on disk.

The tests and the server share one database, so everything here is committed, nothing is rolled back, and
every test makes a study of its own. Every page fails its test on a violation of the Content Security Policy,
an uncaught script error, a request to another host or an answer of 500 and above.
"""

import itertools
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from allauth.account.internal.flows.login import record_authentication
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.http import HttpRequest
from django.test import override_settings
from django.test.utils import setup_databases, teardown_databases
from django.utils import timezone
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response, WebError, expect
from pytest_django import DjangoDbBlocker

from batches.models import Session
from batches.services.plans import batches_build
from batches.services.starting import session_start
from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.servers import (
    MANY_FROM_ONE_ADDRESS,
    background_worker,
    free_port,
    stop,
    wait_until_answers,
    web_command,
)
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve
from studies.services.staff import staff_add
from studies.services.studies import study_create, study_freeze

# Playwright's event loop runs in this thread; the tests use the database between its turns, never within.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
TEST_SECONDS = 240
# How long a busy machine may take. What proves that something comes soon says its own time.
EXPECT_MS = 30_000
BROWSER_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# The policy's violations reach the console as they happen, from frames, too.
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`Content Security Policy: ${event.violatedDirective} blocked ${event.blockedURI}`));
"""
NUMBERS = itertools.count(1)
PICTURES = Path(django_settings.BASE_DIR) / "var" / "screenshots"
AXE = Axe()
DARK_ONLY = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
NARROW = {"width": 360, "height": 740}
# 200 % zoom of a window 1280 wide: half as many CSS pixels, two device pixels each.
ZOOMED = {"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": False}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/e2e" in item.path.as_posix() and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


# --- the browser -------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Debian's Chromium, or the one CHIRON_CHROMIUM names."""
    path = os.environ.get("CHIRON_CHROMIUM") or shutil.which("chromium")
    if path is None:
        absent = "there is no chromium; `apt-get install chromium`, or name one in CHIRON_CHROMIUM"
        if os.environ.get("CHIRON_TEST_BROWSER") == "required":
            pytest.fail(absent, pytrace=False)
        pytest.skip(absent)
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
        if response.status >= 500:
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


def faults_in_looks(page: Page, label: str, *, again: bool) -> Iterator[str]:
    """What is wrong in light and dark, narrow and zoomed; a picture of each on the way, where asked for."""
    yield from violations(page, "light")
    picture(page, f"{label}-light")
    show_in(page, "dark")
    yield from violations(page, "dark", DARK_ONLY)
    picture(page, f"{label}-dark")
    show_in(page, "light")
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]  # a plain dict will do
    if again and page.locator("#time-bar").is_visible():
        page.reload()  # pages of a session lay themselves out by the width they find
    yield from sideways(page, "at 360 px")
    picture(page, f"{label}-360")
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setDeviceMetricsOverride", ZOOMED)
    yield from sideways(page, "at 200 % zoom")


def show_in(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Change the colours and end their gliding: waiting for it hung for ever where no frame was drawn."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")


def violations(page: Page, scheme: str, options: dict[str, Any] | None = None) -> Iterator[str]:
    found = AXE.run(page, options=options or {"resultTypes": ["violations"]}).response["violations"]
    for violation in found:
        nodes = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
        yield f"axe, {scheme}: {violation['id']}: {violation['help']}: {nodes}"


def sideways(page: Page, size: str) -> Iterator[str]:
    wider = page.evaluate(
        """() => {
          const room = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= room) return [];
          const inScroller = (e) => {
            for (let p = e.parentElement; p !== document.body; p = p.parentElement)
              if (getComputedStyle(p).overflowX !== "visible") return true;
            return false;
          };
          return [...document.body.querySelectorAll("*")]
            .filter((e) => e.getBoundingClientRect().right > room + 0.5 && !inScroller(e))
            .map((e) => e.outerHTML.slice(0, 120)).concat("the page");
        }"""
    )
    if wider:
        yield f"scrolls sideways {size}: {wider[:4]}"


def picture(page: Page, name: str) -> None:
    if "CHIRON_TEST_PICTURES" in os.environ:
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


# --- the server --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def committed(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, data_folder: Path
) -> Iterator[None]:
    """A database of this run's own, made and dropped: a file, or one on the server of DATABASE_URL."""
    sqlite = connection.vendor == "sqlite"
    connection.settings_dict["TEST"]["NAME"] = (
        str(data_folder / "chiron.sqlite3") if sqlite else f"chiron_e2e_{os.getpid()}"
    )
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=data_folder / "media"):
        made = setup_databases(verbosity=0, interactive=False, aliases={"default": None})
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
        "CELERY_SKIP_CHECKS": "yes",  # a worker loads all pages for them; `make check` has made them
    }


class Server:
    """The site in a process group of its own, so that all of it can be killed at once."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.environment = environment
        self.log = log
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.child = subprocess.Popen(
                web_command(self.port),
                env={**os.environ, **self.environment},
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        wait_until_answers(self.url, self.child, self.log)

    def kill(self) -> None:
        """As a power cut would: every process at once, no goodbye."""
        with suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()


@pytest.fixture(scope="session")
def server(environment: dict[str, str], data_folder: Path) -> Iterator[Server]:
    with override_settings(STATIC_ROOT=data_folder / "static"):
        call_command("collectstatic", interactive=False, verbosity=0)
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
    """The worker with its beat, which ends sessions at their deadline and mails codes."""
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
def make_study(committed: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Study]:
    """A frozen study with batches: `make_study(prompts=2, batch_size=2, …)`; other keywords are settings."""

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
        values = {"batch_size": len(records), "assembly": "random", "replicates_per_profile": 9, **settings}
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
    return staff_add(email=f"lead{next(NUMBERS)}@example.org")[0]


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
        for _ in range(20):
            page.evaluate("window.dispatchEvent(new Event('focus'))")
            page.wait_for_timeout(200)
            if re.fullmatch(r"\d+ s", page.locator("[data-time-left]").inner_text()):
                return
        raise AssertionError("the page does not hear that time went by")

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
