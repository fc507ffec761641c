"""Inviting the people of a list by pages: checked, confirmed, mailed by a worker."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from batches.selectors.own_data import own_facts
from batches.services.deletion import person_texts_delete
from studies.models import Invitation, OutgoingMail, Study, StudyEvent
from studies.services.mails.mails import mails_send
from studies.services.people.invitations import invitation_accept, invitation_create
from studies.services.people.participants import participant_add
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db
LIST = "/staff/studies/pilot/invitations/list/"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


def check(client: Client, text: str = "", **form: Any) -> tuple[int, str]:
    reply = client.post(LIST, {"text": text, **form}, follow=True)
    return reply.status_code, re.sub(r"\s+", " ", reply.content.decode())


def test_a_list_is_shown_before_anybody_is_invited_and_mailed_by_a_worker_afterwards(
    staff: Client, study: Study, now: datetime
) -> None:
    invitation_create(study=study, email="bob@example.org", profile="stem-phd", now=now)
    participant_add(study=study, email="cy@example.org", profile="stem-phd", now=now)
    text = "Ada@example.org, stem-phd, de\nbob@example.org, stem-phd\ncy@example.org; stem-phd\n"
    text = text.replace(";", ",") + "di@example.org, stem-phd\n"
    status, page = check(staff, text)
    assert status == 200
    assert "Nothing has been mailed yet" in page
    assert "Invite 2 people" in page
    assert "bob@example.org</bdi>" in page
    assert "cy@example.org</bdi>" in page
    assert Invitation.objects.count() == 1
    sent = re.search(r'name="text" value="([^"]*)"', staff.post(LIST, {"text": text}).text)
    assert sent
    _, page = check(staff, sent[1], confirmed="yes")
    assert "3 invitations are on their way. Invited or in the study before: 2." in page
    assert mail.outbox == []
    assert OutgoingMail.objects.count() == 3
    mails_send(clock=timezone.now)
    subjects = {one.to[0]: one.subject for one in mail.outbox}
    assert set(subjects) == {"ada@example.org", "bob@example.org", "di@example.org"}
    assert subjects["ada@example.org"].startswith("Einladung")
    assert subjects["di@example.org"].startswith("Invitation")
    assert not Invitation.objects.filter(sent_at=None).exists()
    assert StudyEvent.objects.filter(kind="invitation_sent").count() == 3
    _, page = check(staff, sent[1], confirmed="yes")
    assert "0 invitations are on their way. Invited or in the study before: 4." in page


def test_a_list_may_name_people_and_say_profiles_and_languages_as_pages_do(
    staff: Client, study: Study, now: datetime
) -> None:
    text = "ada@example.org, STEM PhD, deutsch, Ada Lovelace\nbob@example.org, stem_phd, English\n"
    _, page = check(staff, text, confirmed="yes")
    assert "2 invitations are on their way" in page
    ada, bob = Invitation.objects.order_by("email")
    assert [(one.profile, one.language, one.name) for one in (ada, bob)] == [
        ("stem-phd", "de", "Ada Lovelace"), ("stem-phd", "en", ""),
    ]  # fmt: skip
    first, second = OutgoingMail.objects.order_by("to")
    assert first.body.startswith("Guten Tag, Ada Lovelace,")
    assert second.body.startswith("You are invited")
    assert "Ada Lovelace" in staff.get("/staff/studies/pilot/participants/", {"q": "lovelace"}).text
    events = StudyEvent.objects.filter(study=study).values_list("details", flat=True)
    assert "Lovelace" not in str(list(events))
    link = re.search(r"/invitation/([^/\s]+)/", first.body) or re.search(r"/([\w-]{40,})/", first.body)
    assert link
    person = invitation_accept(token=link[1], now=timezone.now())
    assert own_facts(person)["invitations"][0]["name"] == "Ada Lovelace"  # type: ignore[index]
    person_texts_delete(person)
    ada.refresh_from_db()
    assert (ada.name, ada.email) == ("", "ada@example.org")


def test_mistakes_are_named_by_line_and_nobody_is_invited(staff: Client, study: Study) -> None:
    lines = [
        "ada@example.org,stem-phd",
        "דנה כהן,stem-phd",
        "=HYPERLINK(1),stem-phd",
        "bob@example.org,astronaut",
        "ADA@example.org,stem-phd",
        "cy@example.org,stem-phd,xx",
        "di@example.org",
    ]
    status, page = check(staff, "\n".join(lines))
    assert status == 422
    assert "Nobody was invited: 6 problems were found" in page
    for part in (
        "line 2, email: &quot;דנה כהן&quot; is no e-mail address",
        "line 3, email: &quot;=HYPERLINK(1)&quot; is no e-mail address",
        "line 4, profile: &quot;astronaut&quot; is no profile of this study",
        "line 5, email: is the address of line 1; keep one line",
        "line 6, language: is &quot;xx&quot;; use one of",
        "line 7, profile: is blank; fill it in",
    ):
        assert part in page, part
    assert "bob@example.org,astronaut" in page, "what was typed is still there"
    assert not Invitation.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_a_file_is_checked_like_lines_and_its_people_are_kept_for_the_confirmation(
    staff: Client, study: Study
) -> None:
    content = "\ufeffemail;profile;is_test\r\nada@example.org;stem-phd;yes\r\n".encode()
    status, page = check(staff, file=SimpleUploadedFile("people.csv", content))
    assert (status, "Invite 1 person" in page, "test run" in page) == (200, True, True)
    assert "ada@example.org,stem-phd,yes," in page


def test_of_a_file_with_mistakes_no_line_is_lost(staff: Client, study: Study) -> None:
    content = b"email,profile\nada@example.org,stem-phd\nbob@example.org\ncy@example.org,stem-phd,a,b\n"
    status, page = check(staff, file=SimpleUploadedFile("people.csv", content))
    assert status == 422
    assert "ada@example.org,stem-phd bob@example.org cy@example.org,stem-phd,a,b" in page
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Nobody is named yet"),
        ({"text": "a@example.org,stem-phd\n" * 100_000}, "at most 5,000 people can be invited at once"),
        ({"text": "".join(f"p{n}@a.org,x\n" for n in range(5_001))}, "at most 5,000 people"),
        ({"file": SimpleUploadedFile("a.csv", b"\xff\xfe\x00\x01")}, "is not UTF-8"),
        ({"file": SimpleUploadedFile("a.csv", b"email,name\n\xc3\xa9,b\n")}, "missing columns: profile"),
        ({"file": SimpleUploadedFile("a.csv", b'email,profile\n"half of')}, "problem"),
    ],
)
def test_a_list_that_cannot_be_used_gets_one_sentence(
    staff: Client, study: Study, form: dict[str, Any], sentence: str
) -> None:
    for value in form.values():
        if isinstance(value, SimpleUploadedFile):
            value.seek(0)
    status, page = check(staff, **form)
    assert (status, sentence in page) == (422, True)
    assert not Invitation.objects.exists()


def test_to_a_closed_study_nobody_is_invited(staff: Client, study: Study, now: datetime) -> None:
    study_close(study=study, now=now)
    status, page = check(staff, "ada@example.org,stem-phd", confirmed="yes")
    assert (status, "This study is closed" in page) == (422, True)


def test_thousands_are_invited_with_few_queries_each(
    staff: Client, study: Study, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    text = "".join(f"p{n}@example.org,stem-phd\n" for n in range(300))
    with django_assert_max_num_queries(60):
        assert check(staff, text)[0] == 200
    with django_assert_max_num_queries(100):
        assert check(staff, text, confirmed="yes")[0] == 200
    assert OutgoingMail.objects.count() == 300
