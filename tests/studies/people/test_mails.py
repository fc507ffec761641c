"""Mails that a worker sends: each once, tried again for a while, and none kept."""

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from django.conf import settings as django_settings
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from batches.tasks import send_mails
from studies.models import ClockWatch, OutgoingMail, User
from studies.services.limits import Limit, limit_take
from studies.services.mails.mails import MAX_ATTEMPTS, mail_queue, mails_send

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.django_db
LOGIN, CONFIRM = "/accounts/login/", "/accounts/login/code/confirm/"


def queue(now: datetime, to: str = "person@example.org", *, discarded: bool = False) -> OutgoingMail:
    message = EmailMessage("Your sign-in code", "ABCD-EFGH", None, [to])
    return mail_queue(message=message, now=now, valid_for=timedelta(minutes=15), discarded=discarded)


@pytest.fixture
def nobody_answers(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1


def test_what_was_sent_is_not_kept_and_what_is_discarded_never_goes_out(now: datetime) -> None:
    queue(now)
    queue(now, "nobody@example.org", discarded=True)
    assert mails_send(clock=lambda: now) == 1
    assert [(one.to, one.body) for one in mail.outbox] == [(["person@example.org"], "ABCD-EFGH")]
    assert not OutgoingMail.objects.exists()


def test_a_mail_server_that_is_down_keeps_nobody_from_the_page_and_the_mail_comes_later(
    client: Client, nobody_answers: None, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    User.objects.create_user("person@example.org")
    asked = client.post(LOGIN, {"email": "person@example.org"}, follow=True)
    assert "has an account, a code appears in a moment in the terminal" in asked.text
    began = timezone.now()
    assert mails_send(clock=timezone.now) == 0
    waiting = OutgoingMail.objects.get()
    assert waiting.attempts == 1
    assert began < waiting.due_at < began + timedelta(minutes=1)
    assert "a mail was not sent; check CHIRON_MAIL_URL" in caplog.text
    assert "person@example.org" not in caplog.text
    assert waiting.body.split()[-1] not in caplog.text
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert mails_send(clock=lambda: waiting.due_at) == 1


def test_attempts_end_and_the_row_goes(
    now: datetime, nobody_answers: None, caplog: pytest.LogCaptureFixture
) -> None:
    OutgoingMail.objects.filter(pk=queue(now).pk).update(expires_at=now + timedelta(days=2))
    moments = []
    while (one := OutgoingMail.objects.first()) is not None:
        moments.append(one.due_at - now)
        mails_send(clock=lambda at=one.due_at: at)  # type: ignore[misc]
    seconds = [round(moment.total_seconds()) for moment in moments]
    assert seconds[:8] == [0, 5, 15, 35, 75, 155, 315, 635]
    assert len(seconds) == MAX_ATTEMPTS
    assert caplog.text.count("a mail was dropped unsent") == 1


def test_a_code_that_is_not_valid_any_more_is_not_sent(
    now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    queue(now)
    assert mails_send(clock=lambda: now + timedelta(minutes=15)) == 0
    assert (mail.outbox, OutgoingMail.objects.count()) == ([], 0)
    assert "too old" in caplog.text


def test_one_bad_mail_holds_up_no_other(now: datetime) -> None:
    OutgoingMail.objects.filter(pk=queue(now).pk).update(subject="One\nBcc: eve@example.org")
    queue(now + timedelta(seconds=1), "other@example.org")
    assert mails_send(clock=lambda: now + timedelta(seconds=1)) == 1
    assert [one.to for one in mail.outbox] == [["other@example.org"]]


class JoiningBackend(EmailBackend):
    """While a mail is on its way, a stranger asks for a code."""

    def send_messages(self, messages: list[EmailMessage]) -> int:  # type: ignore[override]
        Client().post(LOGIN, {"email": "nobody@example.org"})
        return int(super().send_messages(messages))


def test_what_is_discarded_never_goes_out_even_if_it_is_stored_while_others_are_sent(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.JoiningBackend"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[JoiningBackend.__module__])
    queue(timezone.now())
    assert mails_send(clock=timezone.now) == 1
    assert [one.to for one in mail.outbox] == [["person@example.org"]]


class SlowBackend(EmailBackend):
    """Takes each mail only when told to."""

    began, go_on = Event(), Event()

    def send_messages(self, messages: list[EmailMessage]) -> int:  # type: ignore[override]
        self.began.set()
        assert self.go_on.wait(300)
        return int(super().send_messages(messages))


class TakenBackend(EmailBackend):
    """Refuses after so long a time that another worker has taken the mail meanwhile."""

    def send_messages(self, messages: list[EmailMessage]) -> int:  # type: ignore[override]
        OutgoingMail.objects.update(due_at=datetime(2031, 1, 1, tzinfo=UTC), attempts=2)
        raise TimeoutError


def test_who_sends_for_so_long_that_another_does_so_too_says_nothing_more_of_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.TakenBackend"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[TakenBackend.__module__])
    queue(now)
    assert mails_send(clock=lambda: now) == 0
    left = OutgoingMail.objects.values_list("due_at", "attempts").get()
    assert left == (datetime(2031, 1, 1, tzinfo=UTC), 2)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_mail_server_that_hangs_holds_one_thread_and_no_mail_goes_twice(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    child_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.SlowBackend"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[SlowBackend.__module__])
    for number in range(3):
        queue(timezone.now(), f"person{number}@example.org")

    def send() -> int:
        try:
            return mails_send(clock=timezone.now)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        try:
            first = pool.submit(send)
            assert SlowBackend.began.wait(30)
            assert pool.submit(send).result(30) == 0, "this process sends already"
            command = [sys.executable, str(ROOT / "manage.py"), "send_mails"]
            other = subprocess.run(command, env=child_environment, capture_output=True, text=True, check=True)
        finally:
            SlowBackend.go_on.set()
        assert (other.stdout, first.result(30)) == ("2 mails sent.\n", 1)
    there = "".join(file.read_text() for file in (tmp_path / "data" / "mail").iterdir())
    to = [*re.findall(r"^To: (.*)$", there, re.MULTILINE), mail.outbox[0].to[0]]
    assert sorted(to) == [f"person{number}@example.org" for number in range(3)]


@pytest.mark.django_db(transaction=True)
def test_the_workers_hear_of_a_mail_at_once(client: Client, tmp_path: Path) -> None:
    """The beat would bring it within seconds, too."""
    client.post(LOGIN, {"email": "person@example.org"})
    waiting = list((tmp_path / "broker" / "queue").glob("*.upkeep.msg"))
    assert len(waiting) == 1
    assert "batches.tasks.send_mails" in waiting[0].read_text()
    assert "person@example.org" not in waiting[0].read_text()
    assert "send-mails" in django_settings.CELERY_BEAT_SCHEDULE


def test_without_a_worker_a_command_sends(now: datetime, capsys: pytest.CaptureFixture[str]) -> None:
    queue(timezone.now())
    call_command("send_mails")
    call_command("send_mails")
    assert capsys.readouterr().out == "1 mail sent.\n0 mails sent.\n"


HOUR = timedelta(hours=1)


@pytest.mark.usefixtures("fresh_clock", "sure_clock")
@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_worker_whose_clock_is_wrong_sends_in_time_and_forgets_no_limit(
    monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    now = timezone.now()
    queue(now)
    limit = Limit("tries", 1, 300)
    assert limit_take(limit=limit, whom="person", now=now)
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + off)
    send_mails()
    assert [one.to for one in mail.outbox] == [["person@example.org"]]
    assert not limit_take(limit=limit, whom="person", now=now)


@pytest.mark.usefixtures("fresh_clock", "sure_clock")
@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_page_whose_clock_is_wrong_dates_its_mails_right(
    client: Client, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    User.objects.create_user("person@example.org")
    with monkeypatch.context() as wrong:
        wrong.setattr(timezone, "now", lambda: datetime.now(UTC) + off)
        client.post(LOGIN, {"email": "person@example.org"})
    left = OutgoingMail.objects.get().expires_at - timezone.now()
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)


@pytest.mark.usefixtures("fresh_clock")
@pytest.mark.parametrize(("off", "sent_meanwhile"), [(HOUR, 0), (-HOUR, 1)])
def test_while_nobody_knows_the_time_a_mail_is_late_but_never_dropped(
    monkeypatch: pytest.MonkeyPatch, off: timedelta, sent_meanwhile: int
) -> None:
    """The one machine starts with a wrong clock: no earlier reading can be compared with it."""
    if connection.vendor == "postgresql":
        pytest.skip("PostgreSQL knows the time")
    now = timezone.now()
    ClockWatch.objects.create(pk=1, at=now, proven_at=now, boot_id="an earlier start", boot_seconds=9.0)
    queue(now)
    with monkeypatch.context() as wrong:
        wrong.setattr(timezone, "now", lambda: datetime.now(UTC) + off)
        assert send_mails() == sent_meanwhile
        assert OutgoingMail.objects.count() == 1 - sent_meanwhile
    assert send_mails() == 1 - sent_meanwhile
    assert [one.to for one in mail.outbox] == [["person@example.org"]]


@pytest.mark.usefixtures("fresh_clock", "sure_clock")
def test_a_code_that_is_truly_too_old_is_dropped_and_the_page_says_to_ask_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.create_user("person@example.org")
    client.post(LOGIN, {"email": "person@example.org"})
    OutgoingMail.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert send_mails() == 0
    assert not OutgoingMail.objects.exists()
    later = time.time() + 15 * 60 + 1
    monkeypatch.setattr(time, "time", lambda: later)
    told = client.post(CONFIRM, {"code": "ABCDEF"}, follow=True)
    assert "The code is too old. Please ask for a new one." in told.text
    assert told.redirect_chain[-1][0].startswith(LOGIN)
