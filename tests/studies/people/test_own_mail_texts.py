"""Mails in a study's own words, under its sender: refused where they would not do, and back to Chiron's."""

from collections.abc import Callable
from datetime import datetime, timedelta
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from studies.models import MailSender, MailText, OutgoingMail, Study, StudyEvent
from studies.services.mails.mails import mails_send
from studies.services.mails.texts import MUST, PLACEHOLDERS, mail_text_default
from studies.services.people.invitation_mails import invitation_mail, invitations_queue
from studies.services.people.invitations import invitation_create

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/pilot/mails/"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.mark.parametrize("template", PLACEHOLDERS)
@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_chirons_text_has_each_placeholder_that_it_must_and_stays_one_when_it_is_saved(
    template: str, language: str, staff: Client, study: Study
) -> None:
    subject, body = mail_text_default(template, language)
    assert "{study}" in subject
    assert [name for name in MUST[template] if f"{{{name}}}" not in body] == []
    assert not [number for number in ("991", "992", "993", "994", "2199") if number in subject + body]
    kind = "decision" if template in ("approved", "reserve", "rejected") else template
    address = f"{PAGE}{kind}/text/?language={language}&as={template}"
    assert staff.post(address, {"subject": subject, "body": body}).status_code == 302
    assert not MailText.objects.exists()
    assert not StudyEvent.objects.filter(kind="mail_text_changed").exists()


def test_an_invitation_goes_out_in_the_studys_words_from_its_sender_and_back_to_chirons(
    staff: Client, study: Study, now: datetime
) -> None:
    staff.post(f"{PAGE}sender/", {"name": "Bäckerei, Study Team", "reply_to": "team@example.org"})
    words = {"subject": "Come to {study}", "body": "Dear {email},\n\ncome here:\n{link} today.\n\n{about}"}
    staff.post(f"{PAGE}invitation/text/?language=en", words)
    preview = staff.get(f"{PAGE}invitation/?language=en").content.decode()
    assert "Dear participant@example.org," in preview
    assert "team@example.org" in preview
    assert "&quot;Bäckerei, Study Team&quot; &lt;" in preview
    assert "Dear" not in staff.get(f"{PAGE}invitation/html/?language=de").content.decode()
    one = invitation_create(study=study, email="new@example.org", profile="stem-phd", now=now)
    site = "https://site"
    invitations_queue(study=study, invitations=[one], site_url=site, now=timezone.now())
    assert mails_send(clock=timezone.now) == 1
    sent = mail.outbox[-1]
    assert isinstance(sent, mail.EmailMultiAlternatives)
    link = sent.body.split("come here:\n")[1].split(" today.")[0]
    assert (sent.subject, link.startswith(f"{site}/invit")) == ("Come to The study pilot", True)
    assert sent.body.startswith("Dear new@example.org,\n\n")
    assert "What this site records:" in sent.body
    header = sent.message()
    name, address = parseaddr(header["From"])
    assert str(make_header(decode_header(name))) == "Bäckerei, Study Team"
    assert address == parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    assert header["Reply-To"] == "team@example.org"
    html = str(sent.alternatives[0][0])
    assert f'href="{link}"' in html
    assert "Bäckerei, Study Team" in html
    staff.post(f"{PAGE}invitation/text/?language=en", {"default": "yes"})
    assert not MailText.objects.exists()
    told = StudyEvent.objects.filter(kind__startswith="mail_").order_by("pk")
    assert [(one.kind, one.details.get("own")) for one in told] == [
        ("mail_sender_changed", None), ("mail_text_changed", True), ("mail_text_changed", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "body", "sentence"),
    [
        ("Hello", "Come: {link} {about} {nobody}", "This mail knows no {nobody}. It knows {study}, {link}"),
        ("Hello", "Come: {link} {about} {first name}", "This mail knows no {first name}."),
        ("Hello, {name}", "Come: {link} {about}", "and not in the subject"),
        ("Hello", "{name}, come: {link} {about}", "Put {link} on another line than {name}"),
        ("{reason}", "Come here: {link} {about}", "This mail knows no {reason}."),
        ("Hello", "Come to us. {about}", "The text lacks {link}"),
        ("Hello", "Come here: {link}", "The text lacks {about}"),
        ("", "{link} {about}", "Write a subject and a text."),
        ("Hello\nBcc: all@example.org", "{link} {about}", "Write the subject in one line"),
        ("H" * 201, "{link} {about}", "Write the subject in one line"),
        ("Hello", "{link} {about}" + "x" * 20_000, "too long"),
    ],
)
def test_a_text_that_would_not_do_is_refused_and_stays_in_the_form(
    subject: str, body: str, sentence: str, staff: Client, study: Study
) -> None:
    reply = staff.post(f"{PAGE}invitation/text/?language=en", {"subject": subject, "body": body})
    page = reply.content.decode()
    assert (reply.status_code, sentence in page, MailText.objects.exists()) == (422, True, False)
    assert body[:12].replace("<", "&lt;") in page


def test_a_written_text_is_shown_before_it_is_saved_and_kept_where_it_was_written(
    staff: Client, study: Study
) -> None:
    words = {"subject": "Come to {study}", "body": "Welcome {name}!\n\n{link}\n\n{about}", "preview": "yes"}
    page = staff.post(f"{PAGE}invitation/text/?language=en", words, follow=True).content.decode()
    assert "Come to The study pilot" in page
    assert "Welcome N. N.!" in page
    assert "Welcome {name}!" in page
    assert "not saved yet" in page
    assert "Welcome N. N.!" in staff.get(f"{PAGE}invitation/html/?language=en&written=yes").content.decode()
    assert "Welcome" not in staff.get(f"{PAGE}invitation/?language=en").content.decode()
    assert "Welcome" not in staff.get(f"{PAGE}invitation/?language=de&written=yes").content.decode()
    assert not MailText.objects.exists()
    assert not StudyEvent.objects.filter(kind="mail_text_changed").exists()
    refused = staff.post(f"{PAGE}invitation/text/?language=en", words | {"body": "Welcome {you}!"})
    page = refused.content.decode()
    assert (refused.status_code, "This mail knows no {you}." in page, "Welcome {you}!" in page) == (
        422, True, True,
    )  # fmt: skip
    refused = staff.post(
        f"{PAGE}invitation/text/?language=en&written=yes", words | {"body": "Welcome {you}!"}
    )
    page = refused.content.decode()
    assert ("Welcome {you}!" in page, "Welcome {name}!" in page, "not saved yet" in page) == (
        True,
        False,
        False,
    )


def test_a_line_with_a_closing_time_is_left_out_where_there_is_none_but_no_link(
    staff: Client, study: Study
) -> None:
    words = {"subject": "In", "body": "Come.\n\nIt closes on {closes}.\n\nUntil {closes}: {link}"}
    staff.post(f"{PAGE}decision/text/?language=en&as=approved", words)
    page = staff.get(f"{PAGE}decision/html/?language=en&as=approved").content.decode()
    assert ("It closes on" in page, "Until the end of the study: " in page) == (False, True)
    Study.objects.update(closes_at=timezone.now() + timedelta(days=1))
    page = staff.get(f"{PAGE}decision/html/?language=en&as=approved").content.decode()
    assert "It closes on" in page


@pytest.mark.parametrize(("name", "begins"), [("N.", "Dear N.,\n\nCome"), ("", "Come")])
def test_a_line_with_a_name_is_left_out_where_none_is_known(
    staff: Client, study: Study, now: datetime, name: str, begins: str
) -> None:
    words = {"subject": "Come", "body": "Dear {name},\n\nCome: {link}\n{about}"}
    assert staff.post(f"{PAGE}invitation/text/?language=en", words).status_code == 302
    one = invitation_create(study=study, email="new@example.org", profile="stem-phd", name=name, now=now)
    assert str(invitation_mail(one, "https://site/x/").body).startswith(begins)


@pytest.mark.parametrize(
    ("name", "reply_to"),
    [
        ("Team\r\nBcc: all@example.org", ""),
        ("dean@university.example", ""),
        ("Team <x>", ""),
        ("T" * 81, ""),
        ("𝕋" * 80, ""),
        ("Team", f"{'t' * 60}@{'long.' * 40}example.org"),
        ("Team", "nobody"),
        ("Team", "a@example.org, b@example.org"),
        ("Team", "a@example.org\nBcc: all@example.org"),
    ],
)
def test_a_sender_that_is_none_is_refused(name: str, reply_to: str, staff: Client, study: Study) -> None:
    reply = staff.post(f"{PAGE}sender/", {"name": name, "reply_to": reply_to})
    assert (reply.status_code, MailSender.objects.exists()) == (422, False)
    assert "Write " in reply.content.decode()


def test_what_an_own_text_was_not_written_for_is_said_in_chirons_words(staff: Client, study: Study) -> None:
    Study.objects.update(status="closed")
    words = {"subject": "Yes", "body": "Start now: {link}"}
    staff.post(f"{PAGE}decision/text/?language=en&as=approved", words)
    assert MailText.objects.get().template == "approved"
    preview = staff.get(f"{PAGE}decision/?language=en").content.decode()
    assert "The study is closed at the moment" in preview


def test_of_many_invitations_texts_and_rules_are_read_once(
    staff: Client, study: Study, now: datetime, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    people = [
        invitation_create(study=study, email=f"p{number}@example.org", profile="stem-phd", now=now)
        for number in range(30)
    ]
    with django_assert_max_num_queries(25):  # type: ignore[attr-defined]
        invitations_queue(study=study, invitations=people, site_url="https://site", now=now)
    assert OutgoingMail.objects.count() == 30
