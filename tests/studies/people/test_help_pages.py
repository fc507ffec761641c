"""Help: a participant writes to the study team, the team replies and announces."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.services.ending import session_submit
from batches.services.starting import session_start
from studies.models import Announcement, Audience, Message, Participant, Study
from studies.services.events import StudyEventKind, event_record
from studies.services.people.messages import (
    MESSAGES_PER_HOUR,
    announcement_make,
    message_answer,
    message_send,
)
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
HELP = "/studies/pilot/help/"
ANNOUNCEMENTS = "/staff/studies/pilot/announcements/"
MESSAGES = "/staff/studies/pilot/messages/"


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="pilot", contact="Call **the desk**."))


@pytest.fixture
def visitor(person: Participant) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(staff_add(email="lead@example.org", superuser=True)[0])
    return client


def text_of(reply: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode()))


# --- the participant ----------------------------------------------------------------------------------


def test_every_page_leads_to_help_and_names_itself(visitor: Client, person: Participant) -> None:
    pages = ("", "instructions/", "practice/1/", "start/", "consent/", "profile/", "my-data/", "withdraw/")
    for page in pages:
        address = f"/studies/pilot/{page}"
        assert f'href="{HELP}?page={address}"' in visitor.get(address).content.decode(), page
    session = session_start(participant=person, now=timezone.now())
    for page in ("", "prompts/1/", "resources/", "submit/"):
        address = f"/sessions/{session.pk}/{page}"
        assert f'href="{HELP}?page={address}"' in visitor.get(address).content.decode(), page


def test_pages_beside_a_study_lead_to_the_page_where_help_is(visitor: Client) -> None:
    assert f'href="{HELP}?page=/"' in visitor.get("/").content.decode()
    for address in ("/accounts/2fa/", "/accounts/logout/", "/no-such-page/"):
        assert "Help: find your study and write to its team" in visitor.get(address).content.decode()


STUDY_PAGES = ("", "instructions/", "help/", "consent/", "profile/", "check/", "my-data/", "withdraw/")


def test_every_page_of_a_person_at_work_shows_the_time_left_once(
    visitor: Client, person: Participant
) -> None:
    bar = 'id="time-bar"'
    for page in STUDY_PAGES:
        assert bar not in visitor.get(f"/studies/pilot/{page}", follow=True).content.decode(), page
    session = session_start(participant=person, now=timezone.now())
    addresses = [f"/studies/pilot/{page}" for page in STUDY_PAGES]
    addresses += [f"/sessions/{session.pk}/{page}" for page in ("", "prompts/1/", "resources/", "submit/")]
    for address in addresses:
        reply = visitor.get(address, follow=True)
        assert reply.content.decode().count(bar) == 1, address
        assert "Time left 4 hours 59 minutes" in text_of(reply), address
    assert visitor.post(HELP, {"text": ""}).content.decode().count(bar) == 1
    session_submit(session=session, resources=None, now=timezone.now())
    for page in STUDY_PAGES:
        assert bar not in visitor.get(f"/studies/pilot/{page}", follow=True).content.decode(), page


def test_a_message_carries_the_page_and_the_reference_of_the_session(
    visitor: Client, person: Participant
) -> None:
    session = session_start(participant=person, now=timezone.now())
    came_from = f"/sessions/{session.pk}/prompts/2/"
    shown = text_of(visitor.get(HELP, {"page": came_from}))
    assert session.reference in shown
    assert came_from in shown
    assert "Your clock goes on while you write" in shown
    assert "Sign-in and security" not in shown, "no site menu while the clock runs"
    assert "data-time-left" in visitor.get(HELP).content.decode()
    assert "Call the desk" in shown
    reply = visitor.post(HELP, {"text": "The picture\r\ndoes not load.", "page": came_from}, follow=True)
    assert "Your message is sent" in text_of(reply)
    assert "does not load." in text_of(reply)
    message = Message.objects.get()
    assert (message.text, message.page) == ("The picture\ndoes not load.", came_from)
    assert (message.session_reference, message.author) == (session.reference, person.user)


@pytest.mark.parametrize("page_said", ["https://elsewhere.example/", "//elsewhere.example/", "/a\nb"])
def test_only_pages_of_this_site_are_named(visitor: Client, page_said: str) -> None:
    visitor.post(HELP, {"text": "Hello", "page": page_said})
    assert Message.objects.get().page == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("  ", "Nothing is written yet; write a text first."),
        ("x" * 5001, "The text is 5,001 characters long and at most 5,000 are allowed; shorten it."),
        ("a\0b", "The text has a NUL character; remove it and send again."),
    ],
)
def test_a_message_that_cannot_be_sent_says_why_and_keeps_its_text(
    visitor: Client, text: str, sentence: str
) -> None:
    reply = visitor.post(HELP, {"text": text, "page": "/studies/pilot/start/"})
    assert reply.status_code == 422
    assert sentence in text_of(reply)
    assert text.strip() in reply.content.decode()
    assert "/studies/pilot/start/" in text_of(reply)
    assert not Message.objects.exists()


def test_too_many_messages_are_refused_and_the_text_stays(visitor: Client, person: Participant) -> None:
    for number in range(MESSAGES_PER_HOUR):
        message_send(participant=person, text=f"{number}", now=timezone.now())
    reply = visitor.post(HELP, {"text": "My long text"})
    assert reply.status_code == 422
    assert "You have sent 20 messages within an hour" in text_of(reply)
    assert "My long text</textarea>" in reply.content.decode()
    assert Message.objects.count() == MESSAGES_PER_HOUR


def test_after_the_deletion_both_sides_are_told_and_keep_their_text(
    visitor: Client, staff: Client, person: Participant, now: datetime
) -> None:
    event_record(study=person.study, kind=StudyEventKind.DATA_DELETED, now=now, participant=person)
    for client, address in ((visitor, HELP), (staff, f"{MESSAGES}{person.code}/")):
        reply = client.post(address, {"text": "About the payment", "page": ""})
        assert reply.status_code == 422
        assert "no message is kept here any more" in text_of(reply)
        assert "About the payment" in reply.content.decode()
    assert not Message.objects.exists()


def test_a_conversation_is_shown_as_text_and_to_its_person_only(
    visitor: Client, person: Participant, make_person: Callable[..., Participant], now: datetime
) -> None:
    message_send(participant=make_person(person.study), text="Somebody else's", now=now)
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    message_answer(participant=person, text="<script>alert(1)</script>", actor=lead, now=now)
    html = visitor.get(HELP).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "Somebody else" not in html
    assert "lead@example.org" not in html


def test_help_of_other_studies_does_not_exist(visitor: Client, make_study: Callable[..., Study]) -> None:
    make_study(slug="other")
    assert visitor.get("/studies/other/help/").status_code == 404
    assert visitor.post("/studies/other/help/", {"text": "Hello"}).status_code == 404
    assert Client().get(HELP)["Location"] == f"/accounts/login/?next={HELP}"


def test_what_the_team_says_is_on_every_page_without_script_until_it_is_put_away(
    visitor: Client, person: Participant, now: datetime
) -> None:
    lead, _ = staff_add(email="lead@example.org", superuser=True)
    made = announcement_make(
        study=person.study, text="The site is slow today.", audience=Audience.APPROVED, actor=lead, now=now
    )
    assert "The site is slow today." in text_of(visitor.get("/studies/pilot/"))
    assert "The site is slow today." in text_of(visitor.get("/studies/pilot/consent/"))
    visitor.cookies["chiron_dismissed"] = f"a{made.pk}"
    assert "The site is slow today." not in text_of(visitor.get("/studies/pilot/"))


# --- the team -----------------------------------------------------------------------------------------


def test_staff_announce_and_take_back(staff: Client, visitor: Client) -> None:
    form = {"text": "We close at noon.", "audience": "approved"}
    assert "Announced to 1 person now" in text_of(staff.post(ANNOUNCEMENTS, form, follow=True))
    assert "We close at noon." in text_of(visitor.get("/studies/pilot/"))
    address = f"{ANNOUNCEMENTS}{Announcement.objects.get().pk}/withdraw/"
    assert staff.get(address).status_code == 405
    assert "is taken back" in text_of(staff.post(address, follow=True))
    assert "We close at noon." not in text_of(visitor.get("/studies/pilot/"))
    assert "taken back before" in text_of(staff.post(address, follow=True))


def test_the_form_says_whom_an_announcement_reaches_and_how_many_they_are(
    staff: Client, person: Participant, make_person: Callable[..., Participant]
) -> None:
    session_start(participant=make_person(person.study), now=timezone.now())
    page = text_of(staff.get(ANNOUNCEMENTS))
    assert "All active: in a session now, or as soon as they are in one (1 person now)" in page
    assert "Approved: started or not, and neither finished nor withdrawn (2 people now)" in page
    assert "rejected or have withdrawn (2 people now)" in page
    checked = re.findall(r"<input[^>]*checked[^>]*>", staff.get(ANNOUNCEMENTS).content.decode())
    assert [re.findall(r'value="(\w+)"', one) for one in checked] == [["in_session"]]
    refused = staff.post(ANNOUNCEMENTS, {"text": "Hello", "audience": "nobody"})
    assert (refused.status_code, Announcement.objects.count()) == (422, 0)
    shown = staff.post(ANNOUNCEMENTS, {"text": "Hello", "audience": "in_session"}, follow=True)
    assert "All active: in a session now" in text_of(shown).partition("Announced so far")[2]
    assert Announcement.objects.get().audience == "in_session"


@pytest.mark.parametrize("text", ["", "x" * 2001, "a\0b"])
def test_an_announcement_that_cannot_be_made_keeps_its_text(
    staff: Client, person: Participant, text: str
) -> None:
    reply = staff.post(ANNOUNCEMENTS, {"text": text})
    assert reply.status_code == 422
    assert text in reply.content.decode()
    assert not Announcement.objects.exists()


def test_staff_see_who_waits_read_where_they_were_and_reply(
    staff: Client, visitor: Client, person: Participant
) -> None:
    visitor.post(HELP, {"text": "May I pause?", "page": "/studies/pilot/start/"})
    assert "Messages 1 waiting" in text_of(staff.get("/staff/studies/pilot/"))
    assert "1 message" in text_of(staff.get("/staff/"))
    assert f"{person.code} waits for a reply May I pause? 1 message," in text_of(staff.get(MESSAGES))
    thread = f"{MESSAGES}{person.code}/"
    shown = text_of(staff.get(thread))
    assert "May I pause?" in shown
    assert "/studies/pilot/start/" in shown
    assert staff.post(thread, {"text": ""}).status_code == 422
    staff.post(thread, {"text": "No, the clock runs on."})
    assert f"{person.code} replied No, the clock runs on. 2 messages," in text_of(staff.get(MESSAGES))
    assert "No, the clock runs on." in text_of(visitor.get("/studies/pilot/"))
    assert "No, the clock runs on." in text_of(visitor.get(HELP))


def test_the_pages_of_a_study_lead_to_each_other_and_say_where_one_is(
    staff: Client, person: Participant
) -> None:
    for address in (ANNOUNCEMENTS, MESSAGES):
        html = staff.get(address).content.decode()
        for page in ("", "live/", "participants/", "messages/", "payments/", "results/"):
            assert f'href="/staff/studies/pilot/{page}"' in html
        assert re.search(r'messages/"\s+aria-current="page"', html)


def test_participants_do_not_get_to_the_pages_of_the_team(visitor: Client, person: Participant) -> None:
    for address in (ANNOUNCEMENTS, MESSAGES, f"{MESSAGES}{person.code}/"):
        assert visitor.get(address).status_code == 404
        assert visitor.post(address, {"text": "Hello"}).status_code in (404, 405)
        assert Client().get(address).status_code == 302
    assert visitor.post(f"{ANNOUNCEMENTS}1/withdraw/").status_code == 404
    assert not Announcement.objects.exists()


def test_a_conversation_or_study_that_does_not_exist_is_not_found(staff: Client, person: Participant) -> None:
    for address in (
        f"{MESSAGES}NOBODY/",
        "/staff/studies/none/messages/",
        "/staff/studies/none/announcements/",
    ):
        assert staff.get(address).status_code == 404
