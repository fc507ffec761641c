"""Taking away what is stored about oneself."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from batches.models import Answer, Revision, Session
from batches.services.ending import session_withdraw
from batches.services.own_data import own_data_write
from operations.services.erasure import withdrawn_erase
from studies.models import Credential, Message, Participant, ProfileForm, Study, StudyEvent, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="mine"))


@pytest.fixture
def own(client: Client, person: Participant) -> Client:
    client.force_login(person.user)
    return client


ADDRESS = "/studies/mine/my-data/"


def download(client: Client) -> zipfile.ZipFile:
    reply = client.post(ADDRESS)
    assert reply.status_code == 200
    assert "no-store" in reply["Cache-Control"]
    assert "private" in reply["Cache-Control"]
    assert ".zip" in reply["Content-Disposition"]
    return zipfile.ZipFile(io.BytesIO(b"".join(reply.streaming_content)))  # type: ignore[attr-defined]


def data_of(client: Client) -> dict[str, object]:
    found = json.loads(download(client).read("data.json"))
    assert isinstance(found, dict)
    return found


def test_everything_about_the_person_is_in_it_but_no_prompt_and_nobody_else(
    own: Client,
    person: Participant,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    now: datetime,
) -> None:
    session = work(person, {"p001": "My answer äöü", "p002": ""})
    work(make_person(person.study), {"p001": "Somebody else's"})
    ProfileForm.objects.create(participant=person, answers={"Degree?": "BSc"}, submitted_at=now)
    Message.objects.create(
        participant=person, is_from_team=False, author=person.user, text="Hello?", sent_at=now
    )
    passkey = {"name": "My phone", "credential": {"id": "key-material"}}
    Authenticator.objects.create(user=person.user, type=Authenticator.Type.WEBAUTHN, data=passkey)
    Credential.objects.create(
        participant=person,
        file=ContentFile(b"%PDF-1.4", name="degree"),
        name="degree.pdf",
        media_type="application/pdf",
        size_bytes=8,
        sha256="0" * 64,
        uploaded_at=now,
    )
    archive = download(own)
    assert archive.namelist() == ["data.json", "answers.txt", "files/1-degree.pdf"]
    assert archive.read("files/1-degree.pdf") == b"%PDF-1.4"
    text = archive.read("data.json").decode()
    data = json.loads(text)
    assert data["person"]["code"] == person.code
    assert data["person"]["last_signed_in_at"] is not None
    assert [one["name"] for one in data["person"]["passkeys"]] == ["My phone"]
    assert "key-material" not in text
    assert data["person"]["address"] == person.user.email
    assert data["profile_forms"][0]["answers"] == {"Degree?": "BSc"}
    assert data["messages"][0]["text"] == "Hello?"
    assert data["consents"][0]["accepted"] is True
    assert data["session"]["reference"] == session.reference
    assert data["session"]["resources"] == ["Books"]
    answer = next(answer for answer in data["answers"] if answer["text"])
    assert (answer["text"], answer["state"]) == ("My answer äöü", "answered")
    assert [revision["text"] for revision in answer["revisions"]] == ["My answer äöü"]
    kinds = [event["kind"] for event in data["events"]]
    assert {"consent_accepted", "started", "submitted"} <= set(kinds)
    assert kinds.count("started") == kinds.count("consent_accepted") == 1
    for absent in ("Question 1?", "Somebody else's", "gold"):
        assert absent not in text
    readable = archive.read("answers.txt").decode()
    assert "My answer äöü" in readable
    assert readable.count("(no text)") == 3


def test_looking_is_no_download_and_a_download_is_recorded(own: Client, person: Participant) -> None:
    assert "Download my data" in own.get(ADDRESS).content.decode()
    assert not StudyEvent.objects.filter(kind="data_downloaded").exists()
    download(own)
    event = StudyEvent.objects.get(kind="data_downloaded")
    assert (event.actor, event.participant) == (person.user, person)


def test_it_works_before_the_start_during_the_session_and_after_a_withdrawal_until_the_deletion(
    own: Client, person: Participant, work: Callable[..., Session], now: datetime
) -> None:
    assert data_of(own)["session"] is None
    work(person, {"p001": "My answer"}, end="active")
    assert "My answer" in json.dumps(data_of(own))
    session_withdraw(participant=person, reason="no time", now=now)
    assert "My answer" in json.dumps(data_of(own))
    withdrawn_erase(now=now + timedelta(days=31))
    left = data_of(own)
    assert "My answer" not in json.dumps(left)
    assert len(left["answers"]) == 4  # type: ignore[arg-type]
    assert "Your data were deleted on" in own.get(ADDRESS).content.decode()


def test_nobody_else_gets_it(client: Client, person: Participant, make_study: Callable[..., Study]) -> None:
    assert client.post(ADDRESS).status_code == 302
    client.force_login(User.objects.create_superuser("lead@example.org"))
    assert client.post(ADDRESS).status_code == 404
    assert client.get(ADDRESS).status_code == 404


def test_a_long_history_does_not_fill_the_memory(
    person: Participant, work: Callable[..., Session], now: datetime
) -> None:
    work(person, {"p001": "short"}, end="active")
    answer = Answer.objects.get(position=1)
    for number in range(400):
        Revision.objects.create(
            answer=answer,
            number=None,
            base_revision=0,
            outcome="refused_stale",
            text=f"{number} " + "x" * 50_000,
            tab="one",
            sequence=number,
            received_at=now,
        )
    with io.BytesIO() as file:
        tracemalloc.start()
        own_data_write(participant=person, file=file, now=now)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 12_000_000  # of 20 million characters


def test_the_page_of_a_withdrawal_says_what_is_deleted_when_before_and_after(
    own: Client, person: Participant
) -> None:
    address = reverse("study_withdraw", args=["mine"])
    page = own.get(address).content.decode()
    assert "30 days later, on " in page
    assert "your address, so that you can be paid" in " ".join(page.split())
    assert own.post(address, {"confirm": ""}).status_code == 422
    assert not StudyEvent.objects.filter(kind="participant_withdrew").exists()
    page = own.post(address, {"confirm": "on"}, follow=True).content.decode()
    assert "You have withdrawn from" in page
    assert "Your data are deleted on" in page
    assert "Stay in the study" not in page
    again = own.post(address, {"confirm": "on"}, follow=True).content.decode()
    assert "You have withdrawn from this study already" in again
