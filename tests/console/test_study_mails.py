"""The mails of a study: each once at its event, switched off by kind, tried again, shown on their page."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from batches.services.ending import session_submit, session_withdraw, sessions_expire
from batches.services.starting import session_start
from studies.models import MailKind, MailOutcome, MailRecord, OutgoingMail, Participant, Study, User
from studies.services.mails.mails import MAX_ATTEMPTS, mails_send
from studies.services.mails.study_mails import mail_switch
from studies.services.people.messages import message_answer
from studies.services.people.participants import participant_reject

pytestmark = pytest.mark.django_db
SITE = "https://study.example.org"
MAILS = "/staff/studies/pilot/mails/"


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="pilot"))


def sent(now: datetime) -> list[EmailMultiAlternatives]:
    mails_send(clock=lambda: now)
    return list(mail.outbox)  # type: ignore[arg-type]  # what is sent with HTML


def outcomes() -> list[tuple[str, str]]:
    return list(MailRecord.objects.order_by("pk").values_list("kind", "outcome"))


def test_a_receipt_follows_a_submission_once_as_text_and_as_html_in_the_readers_language(
    person: Participant, now: datetime
) -> None:
    User.objects.filter(pk=person.user_id).update(language="de")
    session = session_start(participant=person, now=now)
    session_submit(session=session, resources=None, now=now, site_url=SITE)
    assert sessions_expire(now=session.deadline_at + session.tolerance * 2, site_url=SITE) == 0
    (one,) = sent(now)
    assert (one.to, session.reference in one.body) == ([person.user.email], True)
    assert f"{SITE}/studies/pilot/" in one.body
    ((html, kind),) = one.alternatives
    assert (kind, 'lang="de"' in str(html), session.reference in str(html)) == ("text/html", True, True)
    assert f'href="{SITE}/studies/pilot/"' in str(html)
    assert outcomes() == [(MailKind.RECEIPT, MailOutcome.SENT)]


def test_an_expired_session_has_a_receipt_and_a_withdrawal_cancels_what_waits(
    person: Participant, now: datetime
) -> None:
    session = session_start(participant=person, now=now)
    over = session.deadline_at + session.tolerance * 2
    assert sessions_expire(now=over, site_url=SITE) == 1
    assert sessions_expire(now=over, site_url=SITE) == 0
    session_withdraw(participant=person, now=over)
    assert sent(over) == []
    assert outcomes() == [(MailKind.RECEIPT, MailOutcome.CANCELLED)]


def test_a_reply_is_mailed_with_its_text_and_no_markup_or_header_of_it_counts(
    person: Participant, lead: User, now: datetime
) -> None:
    Study.objects.update(name="Pilot\r\nBcc: eve@example.org")
    person.refresh_from_db()
    text = "Yes.\r\nBcc: eve@example.org\n<script>x</script>"
    message_answer(participant=person, text=text, actor=lead, now=now, site_url=SITE)
    (one,) = sent(now)
    assert one.subject == "Pilot Bcc: eve@example.org: an answer from the study team"
    assert one.recipients() == [person.user.email]
    assert "<script>x</script>" in one.body
    html = str(one.alternatives[0][0])
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_kind_that_is_switched_off_is_not_mailed_until_it_is_on_again(
    person: Participant, staff: Client, lead: User, now: datetime
) -> None:
    assert "switched off" not in staff.get(MAILS).text
    staff.post(f"{MAILS}reply/switch/", {"send": "off"})
    message_answer(participant=person, text="One", actor=lead, now=now, site_url=SITE)
    assert (sent(now), outcomes()) == ([], [])
    kinds = person.study.events.values_list("kind", flat=True)
    assert list(kinds).count("mails_switched_off") == 1
    assert mail_switch(study=person.study, kind=MailKind.REPLY, is_on=False, actor=lead, now=now) is False
    staff.post(f"{MAILS}reply/switch/", {"send": "on"})
    message_answer(participant=person, text="Two", actor=lead, now=now, site_url=SITE)
    assert [one.body.count("Two") for one in sent(now)] == [1]
    refused = staff.post(f"{MAILS}invitation/switch/", {"send": "off"}, follow=True).text
    assert "it has no switch" in refused
    assert staff.post(f"{MAILS}gossip/switch/", {"send": "off"}).status_code == 404


def test_a_failed_mail_is_listed_and_tried_again_when_somebody_says_so(
    person: Participant,
    staff: Client,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    began = timezone.now()
    participant_reject(participant=person, reason="No degree.", now=began, site_url=SITE)
    for _ in range(MAX_ATTEMPTS):
        due_at = OutgoingMail.objects.get().due_at
        mails_send(clock=lambda at=due_at: at)  # type: ignore[misc]
    record = MailRecord.objects.get()
    assert (record.outcome, record.attempts) == (MailOutcome.FAILED, MAX_ATTEMPTS)
    assert person.user.email not in caplog.text
    page = staff.get(f"{MAILS}?state=failed").text
    assert person.code in page
    assert person.user.email not in page
    assert "ConnectionRefusedError" in page
    settings.EMAIL_BACKEND = backend
    staff.post(f"{MAILS}retry/{record.pk}/")
    assert [one.to for one in sent(timezone.now())] == [[person.user.email]]
    assert outcomes() == [(MailKind.DECISION, MailOutcome.SENT)]
    again = staff.post(f"{MAILS}retry/{record.pk}/", follow=True).text
    assert "not waiting any more" in again


@pytest.mark.parametrize("kind", list(MailKind))
def test_each_kind_has_a_preview_and_a_test_that_goes_to_whoever_asks(
    person: Participant, staff: Client, lead: User, kind: MailKind
) -> None:
    page = staff.get(f"{MAILS}{kind}/?language=en")
    framed = staff.get(f"{MAILS}{kind}/html/?language=en")
    assert (page.status_code, framed.status_code) == (200, 200)
    policy = framed.headers["Content-Security-Policy"]
    assert ("sandbox" in policy, "frame-ancestors 'self'" in policy) == (True, True)
    assert not MailRecord.objects.exists()
    staff.post(f"{MAILS}{kind}/test/")
    (one,) = sent(timezone.now())
    assert (one.to, one.subject.startswith("Test: ")) == ([lead.email], True)
    assert f"{one.subject.removeprefix('Test: ')}</title>" in framed.text
    assert MailRecord.objects.get().is_test


def test_the_page_needs_few_queries_however_many_mails_there_are(
    person: Participant, staff: Client, django_assert_max_num_queries: Callable[..., object], now: datetime
) -> None:
    rows = [
        MailRecord(study=person.study, kind="reply", participant=person, queued_at=now) for _ in range(120)
    ]
    MailRecord.objects.bulk_create(rows)
    with django_assert_max_num_queries(15):  # type: ignore[attr-defined]
        page = staff.get(MAILS).text
    assert "Page 1 of 3" in page
    assert staff.get(f"{MAILS}?format=csv").text.count("\n") == 121
