"""What strangers and parallel requests cannot do at sign-in: learn who is known, lock out, try more codes."""

import pickle
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest
import redis
from allauth.core.internal import ratelimit
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.core.cache.backends.filebased import FileBasedCache
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from config.environment import read_environment
from studies.models import LimitedUse, OutgoingMail, Study, User
from studies.services.limits import limits_tidy
from studies.services.mails.mails import mails_send
from studies.services.people.invitation_mails import invitation_send
from studies.services.people.invitations import invitation_create
from studies.services.staff.sign_in import code_request_take

LOGIN, CONFIRM = "/accounts/login/", "/accounts/login/code/confirm/"
SECOND = "/accounts/2fa/authenticate/"
SECRET = "JBSWY3DPEHPK3PXP"
STRANGER = {"REMOTE_ADDR": "203.0.113.9"}
TOO_MANY = "Too many attempts. Please wait"


@pytest.fixture
def person(transactional_db: None) -> User:
    return User.objects.create_user("person@example.org")


def code_mailed() -> str:
    mails_send(clock=timezone.now)
    found = re.search(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    return found[1]


def shape(client: Client, path: str, fields: dict[str, str]) -> tuple[list[str], int, str]:
    """The statements of a request without their values, and its reply."""
    with CaptureQueriesContext(connection) as queries:
        reply = client.post(path, fields)
    values = r"'(?:[^']|'')*'|\d+|\b(?:true|false)\b"
    statements = sorted(re.sub(values, "?", query["sql"]) for query in queries)
    return statements, reply.status_code, reply["Location"]


@pytest.mark.parametrize("step", ["first", "again"])
def test_nobody_can_tell_by_queries_or_reply_whether_an_address_is_known(person: User, step: str) -> None:
    User.objects.create_user("closed@example.org", is_active=False)
    seen = []
    for email in (person.email, "stranger@example.org", "closed@example.org"):
        client = Client()
        client.get(LOGIN)
        asked = shape(client, LOGIN, {"email": email})
        seen.append(asked if step == "first" else shape(client, CONFIRM, {"action": "resend"}))
    assert seen[0] == seen[1] == seen[2]
    assert OutgoingMail.objects.filter(to="stranger@example.org").exists()
    assert mails_send(clock=timezone.now) == (1 if step == "first" else 2)
    assert {message.to[0] for message in mail.outbox} == {person.email}


def ask(email: str, **client: str) -> str:
    """What comes of asking for a code: where it leads, or the page's words."""
    reply = Client().post(LOGIN, {"email": email}, **client)  # type: ignore[arg-type]
    return reply.get("Location", reply.text)


def test_a_stranger_who_asks_for_all_codes_of_an_address_locks_nobody_out(person: User) -> None:
    for _ in range(5):
        assert ask(person.email, **STRANGER) == CONFIRM
    assert TOO_MANY in ask(person.email, **STRANGER)
    assert ask(person.email) == CONFIRM


@pytest.fixture
def link(make_study: Callable[..., Study], transactional_db: None) -> str:
    invitation = invitation_create(
        study=make_study(), email="ada@example.org", profile="stem-phd", now=timezone.now()
    )
    invitation_send(invitation=invitation, site_url="http://testserver", now=timezone.now())
    found = re.search(r"http://testserver(/invitations/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


@pytest.mark.parametrize("used_before", [False, True])
def test_whoever_holds_the_link_gets_a_code_however_many_strangers_asked_for(
    link: str, settings: Settings, used_before: bool
) -> None:
    settings.CODES_PER_MINUTE_PER_CLIENT = 3
    if used_before:
        Client().post(link)
    flood("ada@example.org")
    assert TOO_MANY in ask("ada@example.org"), "without the link even the person is refused"
    client = Client()
    client.post(link)
    asked = client.post(LOGIN, {"email": "ada@example.org"})
    assert asked["Location"] == CONFIRM
    client.post(CONFIRM, {"code": code_mailed()})
    assert "_auth_user_id" in client.session


def flood(email: str) -> None:
    """Everything strangers everywhere can ask for in a day."""
    now = timezone.now()
    networks = [f"203.0.113.{n}" for n in range(30)]
    asked = [code_request_take(email=email, client=client, now=now) for client in networks for _ in range(3)]
    assert Counter(asked)[True] == 45


def test_a_link_is_no_way_to_mail_others_and_has_limits_of_its_own(link: str) -> None:
    client = Client()
    client.post(link)
    flood("eve@example.org")
    assert TOO_MANY in client.post(LOGIN, {"email": "eve@example.org"}).text
    said: Counter[int] = Counter()
    for _ in range(6):
        client = Client()
        client.post(link)
        said[client.post(LOGIN, {"email": "ada@example.org"}).status_code] += 1
    assert said == {302: 5, 200: 1}


def test_one_network_address_asks_for_so_many_codes_a_minute_and_a_day(db: None, settings: Settings) -> None:
    settings.CODES_PER_MINUTE_PER_CLIENT = 2
    now = timezone.now()

    def minute(number: int, client: str = "203.0.113.9") -> list[bool]:
        asking = [f"p{number}-{n}@example.org" for n in range(3)]
        at = now + timedelta(minutes=number)
        return [code_request_take(email=email, client=client, now=at) for email in asking]

    assert minute(0) == [True, True, False]
    assert [sum(minute(n)) for n in range(1, 20)] == [2] * 19
    assert minute(20) == [False, False, False]
    assert minute(20, "198.51.100.7") == [True, True, False]
    assert minute(24 * 60) == [True, True, False]


def test_limits_keep_no_address_and_what_is_over_goes(person: User) -> None:
    ask(person.email)
    rows = str(list(LimitedUse.objects.values()))
    assert person.email not in rows
    assert "127.0.0.1" not in rows
    limits_tidy(now=timezone.now() + timedelta(days=2))
    assert not LimitedUse.objects.exists()


def all_at_once(jobs: list[Callable[[], str]]) -> Counter[str]:
    """Every job in a thread of its own, let go together; how often each result came."""
    together = Barrier(len(jobs))

    def run(job: Callable[[], str]) -> str:
        together.wait(30)
        try:
            return job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return Counter(pool.map(run, jobs))


def twin(client: Client) -> Client:
    """Another connection of the same browser."""
    other = Client()
    other.cookies = client.cookies
    return other


def typed(client: Client, page: str, code: str) -> Callable[[], str]:
    """A job: type the code, and say what came of it."""
    own = twin(client)

    def job() -> str:
        reply = own.post(page, {"code": code})
        if reply.status_code == 302:
            return str(reply["Location"])
        refused = re.search(r"Incorrect code|This did not work|Too many attempts", reply.text)
        return refused[0] if refused else reply.text

    return job


def test_of_parallel_code_attempts_no_more_are_looked_at_than_of_others(person: User) -> None:
    client = Client()
    client.post(LOGIN, {"email": person.email})
    said = all_at_once([typed(client, CONFIRM, f"WRONG{n}") for n in range(25)])
    assert sum(said.values()) == 25
    assert said["Incorrect code"] <= 5
    late = twin(client)
    late.post(CONFIRM, {"code": code_mailed()})
    assert "_auth_user_id" not in late.session


def with_first_factor(person: User) -> Client:
    client = Client()
    client.post(LOGIN, {"email": person.email})
    assert client.post(CONFIRM, {"code": code_mailed()})["Location"] == SECOND
    return client


def app_code(steps: int = 0) -> str:
    return str(format_hotp_value(hotp_value(SECRET, int(time.time()) // 30 + steps)))


@pytest.fixture
def lead(transactional_db: None) -> User:
    lead = User.objects.create_user("lead@example.org", is_staff=True)
    TOTP.activate(lead, SECRET)
    return lead


def test_of_parallel_codes_of_an_app_no_more_are_looked_at_than_of_others(lead: User) -> None:
    client = with_first_factor(lead)
    right = {app_code(step) for step in range(-3, 4)}
    wrong = [f"{n:06}" for n in range(40) if f"{n:06}" not in right][:25]
    said = all_at_once([typed(client, SECOND, code) for code in wrong])
    assert said == {"This did not work": 5, "Too many attempts": 20}


def test_one_code_of_an_app_lets_in_once_in_parallel_and_after_the_cache_is_emptied(lead: User) -> None:
    devices = [with_first_factor(lead) for _ in range(4)]
    code = app_code()
    said = all_at_once([typed(device, SECOND, code) for device in devices[:3]])
    assert said == {"/staff/": 1, "This did not work": 2}
    cache.clear()
    assert typed(devices[3], SECOND, code)() == "This did not work"
    assert typed(devices[3], SECOND, app_code(-1))() == "This did not work", "nor one before it"


class Trap:
    """As a pickle, code that runs where it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


def shared_entries(email: str) -> list[str]:
    """Under which names allauth's limits and Django's caches keep what is counted of an address."""
    request = RequestFactory().post(LOGIN)
    rates = ratelimit.parse_rates("30/m/ip,5/5m/key")
    facts = {"app": "allauth.account", "action": "request_login_code"}
    return [f":1:{ratelimit.get_cache_key(request, **facts, rate=rate, key=email)}" for rate in rates]


def test_who_can_write_where_caches_were_runs_no_code(person: User, tmp_path: Path) -> None:
    """Fails where a cache that processes share reads pickles: Redis, or files of the data folder."""
    trap = Trap(tmp_path / "sprung")
    url = read_environment().redis_url
    server = redis.Redis.from_url(url) if url else None
    files = FileBasedCache(str(tmp_path / "cache"), {})
    (tmp_path / "cache").mkdir(exist_ok=True)
    names = shared_entries(person.email)
    for name in names:
        content = pickle.dumps(time.time() + 600) + zlib.compress(pickle.dumps(trap))
        Path(files._key_to_file(name.removeprefix(":1:"))).write_bytes(content)  # type: ignore[attr-defined]
        if server:
            server.set(name, pickle.dumps(trap), ex=60)
    try:
        assert ask(person.email) == CONFIRM
        assert not trap.path.exists()
    finally:
        if server:
            server.delete(*names)
    kinds = {facts["BACKEND"] for facts in settings.CACHES.values()}
    assert kinds == {"django.core.cache.backends.locmem.LocMemCache"}, "no other process writes there"
