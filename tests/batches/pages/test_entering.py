"""Coming in by an entry link from a recruiting platform."""

import logging
import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from batches.services.ending import session_withdraw
from batches.services.entering import EntryClosed, IdsTaken, person_enter
from operations.services.erasure import withdrawn_erase
from studies.models import Participant, PlatformEntry, RecruitingLink, Study, StudyEvent, User
from studies.services.mails.mails import mails_send
from studies.services.pausing import recruiting_pause
from studies.services.people.consents import consent_record
from studies.services.people.participants import StudySimulated, participant_reject
from studies.services.people.recruiting_links import (
    LinkSettings,
    PlatformIds,
    link_close,
    link_open,
    link_save,
)

pytestmark = pytest.mark.django_db
IDS = {"PID": "5f0c1a", "STUDY": "st-1", "SESSION": "se_1"}


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", replicates_per_profile=2)


@pytest.fixture
def link(study: Study, lead: User, now: datetime) -> RecruitingLink:
    taken = LinkSettings("PID", "STUDY", "SESSION", completed="DONE-1", turned_down="https://p.example/out")
    made = link_save(study=study, profile="stem-phd", settings=taken, actor=lead, now=now)
    return link_open(link=made, actor=lead, now=now)


@pytest.fixture
def page(link: RecruitingLink) -> str:
    return reverse("entry", args=[link.token])


def sign_in(client: Client, where: str, email: str) -> str:
    """By the code of the mail; where it leads then."""
    asked = client.post(where, {"email": email, "next": where.partition("next=")[2]})
    mails_send(clock=timezone.now)
    code = re.search(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    entered = client.post(asked["Location"], {"code": code[1], "next": where.partition("next=")[2]})
    return str(entered["Location"])


def enter(client: Client, page: str, email: str, ids: dict[str, str] = IDS) -> None:
    assert client.get(page, ids)["Location"] == page, "the ids leave the address at once"
    sent = client.post(page, {"email": email})
    assert sent["Location"] == f"/accounts/login/?next={page}"
    assert sign_in(client, sent["Location"], email) == page
    client.post(page)


def test_from_the_platform_to_the_study_and_back_with_the_code(
    page: str, work: Callable[..., Session], client: Client, caplog: pytest.LogCaptureFixture, now: datetime
) -> None:
    with caplog.at_level(logging.INFO):
        shown = client.get(page, IDS, follow=True).content.decode()
        assert shown.index("About the study") < shown.index('name="email"'), (
            "nothing is asked before it is told why"
        )
        assert not User.objects.filter(email="ada@example.org").exists()
        enter(client, page, "ada@example.org")
    person = Participant.objects.get(user__email="ada@example.org")
    entry = person.platform_entry
    assert (entry.platform_participant, entry.platform_study, entry.platform_session) == tuple(IDS.values())
    assert person.vetting_status in {"invited", "submitted"}, "the study team decides as on everybody"
    assert client.get(page)["Location"] == "/studies/pilot/"
    assert b"DONE-1" not in client.get("/studies/pilot/").content
    Participant.objects.update(vetting_status="approved")
    consent_record(participant=person, accepted=True, now=now)
    session = work(person, {"p001": "1"})
    assert b"DONE-1" in client.get(reverse("session_receipt", args=[session.pk])).content
    trail = str(list(StudyEvent.objects.values("kind", "details")))
    assert "entered_by_link" in trail
    assert "5f0c1a" not in trail + caplog.text


def test_whoever_is_not_approved_is_led_back_otherwise(
    page: str, lead: User, client: Client, now: datetime
) -> None:
    enter(client, page, "ada@example.org")
    participant_reject(participant=Participant.objects.get(), reason="Too early.", actor=lead, now=now)
    shown = client.get("/studies/pilot/").content.decode()
    assert 'href="https://p.example/out"' in shown
    assert "DONE-1" not in shown


def test_an_id_signs_nobody_in_and_stays_with_the_first_who_proved_an_address(page: str) -> None:
    ada, bob = Client(), Client()
    enter(ada, page, "ada@example.org")
    stranger = bob.get(page, IDS, follow=True)
    assert b"ada@example.org" not in stranger.content
    assert "_auth_user_id" not in bob.session
    enter(bob, page, "bob@example.org")
    assert b"under another address" in bob.post(page).content
    assert [entry.participant.user.email for entry in PlatformEntry.objects.all()] == ["ada@example.org"]
    assert not Participant.objects.filter(user__email="bob@example.org").exists()
    again = Client()
    again.get(page, IDS)
    sent = again.post(page, {"email": "ada@example.org"})
    assert sign_in(again, sent["Location"], "ada@example.org") == page
    assert again.get(page)["Location"] == "/studies/pilot/", "the same person, once they have signed in"
    assert "platform_ids" not in again.session


def test_somebody_of_the_study_gets_the_ids_and_keeps_the_first(
    link: RecruitingLink, study: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    known, other = make_person(study), make_person(study)
    first = PlatformIds("one")
    assert person_enter(link=link, ids=first, user=known.user, now=now) == known
    person_enter(link=link, ids=PlatformIds("two"), user=known.user, now=now)
    assert known.platform_entry.platform_participant == "one"
    with pytest.raises(IdsTaken):
        person_enter(link=link, ids=first, user=other.user, now=now)


@pytest.mark.parametrize("why", ["closed", "other profile", "has begun"])
def test_whoever_the_link_is_not_meant_for_comes_home_without_ids_and_their_code(
    why: str, page: str, link: RecruitingLink, study: Study, make_person: Callable[..., Participant],
    work: Callable[..., Session], lead: User, client: Client, now: datetime,
) -> None:  # fmt: skip
    person = make_person(study, profile="stem-undergraduate" if why == "other profile" else "stem-phd")
    if why == "has begun":
        work(person, {"p001": "1"})
    if why == "closed":
        link_close(link=link, actor=lead, now=now)
    client.force_login(person.user)
    for reply in (client.get(page, IDS), client.post(page)):
        assert reply["Location"] == "/studies/pilot/"
    as_read_before = RecruitingLink.objects.select_related("study").get(pk=link.pk)
    assert person_enter(link=as_read_before, ids=PlatformIds("1"), user=person.user, now=now) == person
    assert not PlatformEntry.objects.exists()


def test_nobody_comes_into_a_simulated_study(
    page: str, link: RecruitingLink, lead: User, client: Client, now: datetime
) -> None:
    Study.objects.update(is_simulated=True)
    link = RecruitingLink.objects.select_related("study").get()
    assert "only simulated people take part" in client.get(page, IDS).text
    with pytest.raises(StudySimulated):
        person_enter(link=link, ids=PlatformIds("1"), user=lead, now=now)
    with pytest.raises(StudySimulated):
        link_open(link=link_close(link=link, actor=lead, now=now), actor=lead, now=now)
    assert not Participant.objects.exists()


BAD = ["", "a" * 101, "a\nb", "\u202eabc", "=1+1", "+a", "@a", "-a", "a b", "{{%PID%}}", "ä", "١٢"]


@pytest.mark.parametrize("text", BAD)
def test_bad_ids_get_one_sentence_which_does_not_repeat_them(text: str, page: str, client: Client) -> None:
    reply = client.get(page, IDS | {"PID": text})
    (said,) = re.findall(r'<p class="lead">(The link is not .*? PID .*?)</p>', reply.content.decode())
    assert reply.status_code == 409
    assert len(text) < 3 or text not in said
    assert "platform_ids" not in client.session
    assert client.get(page).status_code == 409, "without ids there is nothing to enter with"


def test_the_link_is_closed_until_it_is_opened_and_by_pause_close_and_full_places(
    page: str, link: RecruitingLink, study: Study, make_person: Callable[..., Participant],
    lead: User, now: datetime, client: Client,
) -> None:  # fmt: skip
    def sentence() -> str:
        reply = client.get(page, IDS)
        found = re.search(r'<p class="lead">(.*?)</p>', reply.content.decode(), re.DOTALL)
        assert found
        assert (reply.status_code, "5f0c1a" in found[1]) == (409, False)
        return found[1]

    while link.study.participants.count() < 2 * study.batch_plan.batches.count():
        make_person(study)
    assert "All places" in sentence()
    Participant.objects.update(vetting_status="rejected", vetting_reason="For a test.")
    assert client.get(page, IDS).status_code == 302
    recruiting_pause(study=study, reason="Clock.", actor=lead, now=now)
    assert "paused" in sentence()
    Study.objects.update(recruiting_paused_at=None)
    link_close(link=link, actor=lead, now=now)
    assert "takes nobody in" in sentence()
    assert client.get("/enter/no-such-link/", IDS).status_code == 404


def test_one_network_address_may_not_ask_without_end(page: str, client: Client) -> None:
    replies = {client.get(page, IDS).status_code for _ in range(61)}
    assert replies == {302, 429}


def test_the_ids_go_with_the_data_of_the_person(page: str, client: Client, now: datetime) -> None:
    enter(client, page, "ada@example.org")
    person = Participant.objects.get()
    data = client.post("/studies/pilot/my-data/")
    assert b"".join(data.streaming_content)  # type: ignore[attr-defined]
    session_withdraw(participant=person, now=now)
    withdrawn_erase(now=now + timedelta(days=400))
    assert not PlatformEntry.objects.exists()
    assert client.post(page)["Location"] == "/studies/pilot/"
    bob = Client()
    enter(bob, page, "bob@example.org")
    assert b"under another address" in bob.post(page).content, "an id is paid once"
    assert not PlatformEntry.objects.exists()
    assert IDS["PID"] not in str(list(StudyEvent.objects.values_list("details", flat=True)))


def test_a_link_that_was_closed_while_somebody_pressed_the_button_lets_nobody_in(
    link: RecruitingLink, lead: User, now: datetime
) -> None:
    as_read_before = RecruitingLink.objects.select_related("study").get(pk=link.pk)
    link_close(link=link, actor=lead, now=now)
    ada = User.objects.create_user("ada@example.org")
    with pytest.raises(EntryClosed):
        person_enter(link=as_read_before, ids=PlatformIds("1"), user=ada, now=now)
    assert not Participant.objects.exists()
