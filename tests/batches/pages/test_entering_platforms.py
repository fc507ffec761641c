"""Entry links of known platforms: what is no id of theirs lets nobody in, and who is written to by alias."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies.models import Participant, PlatformEntry, RecruitingLink, Study, User
from studies.services.mails.mails import mails_send
from studies.services.people.platforms import PLATFORMS, platform_of
from studies.services.people.recruiting_links import LinkSettings, link_open, link_save

pytestmark = pytest.mark.django_db
PERSON, STUDY_THERE, SESSION_THERE = (
    "5f0c1a2b3c4d5e6f7a8b9c0d",
    "64d0c1a2b3c4d5e6f7a8b9c0",
    "65aa00bb11cc22dd33ee44ff",
)
PROLIFIC = {"PROLIFIC_PID": PERSON, "STUDY_ID": STUDY_THERE, "SESSION_ID": SESSION_THERE}
ALIAS = f"{PERSON}@email.prolific.com"
MakeLink = Callable[..., RecruitingLink]


@pytest.fixture
def make_link(make_study: Callable[..., Study], lead: User, now: datetime) -> MakeLink:
    study = make_study(slug="pilot", replicates_per_profile=2)

    def make(*parameters: str) -> RecruitingLink:
        made = link_save(
            study=study, profile="stem-phd", settings=LinkSettings(*parameters), actor=lead, now=now
        )
        return made if made.opened_at else link_open(link=made, actor=lead, now=now)

    return make


def page_of(link: RecruitingLink) -> str:
    return reverse("entry", args=[link.token])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PROLIFIC_PID", "{{%PROLIFIC_PID%}}"),
        ("PROLIFIC_PID", "%PROLIFIC_PID%"),
        ("PROLIFIC_PID", "PROLIFIC_PID"),
        ("PROLIFIC_PID", "undefined"),
        ("PROLIFIC_PID", ""),
        ("PROLIFIC_PID", PERSON[:-1]),
        ("PROLIFIC_PID", f"{PERSON}0"),
        ("PROLIFIC_PID", PERSON.upper()),
        ("PROLIFIC_PID", f"{PERSON[:-1]}z"),
        ("PROLIFIC_PID", f"{PERSON}\n"),
        ("STUDY_ID", "{{%STUDY_ID%}}"),
        ("STUDY_ID", "my-study"),
        ("SESSION_ID", "{{%SESSION_ID%}}"),
        ("SESSION_ID", "SESSION_ID"),
    ],
)
def test_what_is_no_id_of_prolific_is_told_and_nothing_is_stored(
    make_link: MakeLink, client: Client, name: str, text: str
) -> None:
    page = page_of(make_link("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    refused = client.get(page, PROLIFIC | {name: text})
    assert refused.status_code == 409
    assert name in refused.content.decode()
    assert client.post(page, {"email": "ada@example.org"}).status_code == 409
    assert "platform_ids" not in client.session
    assert not User.objects.filter(email__in=["ada@example.org", ALIAS]).exists()
    assert not PlatformEntry.objects.exists()


def test_an_id_that_is_there_twice_is_none(make_link: MakeLink, client: Client) -> None:
    page = page_of(make_link("PID"))
    refused = client.get(f"{page}?PID=5f0c1a&PID=5f0c1b")
    assert (refused.status_code, b"more than once" in refused.content) == (409, True)
    assert client.get(f"{page}?PID=5f0c1a").status_code == 302


@pytest.mark.parametrize(
    "text",
    [
        "PID",
        "pid",
        "null",
        "PROLIFIC_PID",
        "prolific-pid",
        "SURVEY_CODE",
        "Participant-ID",
        "unknown",
        "%SURVEY_CODE%",
        "{PID}",
        "[PID]",
        "${PID}",
        "<PID>",
        "-1",
        "ASSIGNMENT_ID_NOT_AVAILABLE",
    ],
)
def test_a_platform_of_another_kind_has_ids_that_can_be_some(
    make_link: MakeLink, client: Client, text: str
) -> None:
    refused = client.get(page_of(make_link("PID")), {"PID": text})
    assert (refused.status_code, b"is no id of a platform" in refused.content) == (409, True)


@pytest.mark.parametrize(
    ("parameters", "good", "bad"),
    [
        (("workerId", "hitId", "assignmentId"), ("A1B2C3D4E5F6G7", "3" * 30, "3" * 30), "worker-1"),
        (
            ("workerId", "", "assignmentId"), ("A1B2C3D4E5F6G7", "", "3" * 30),
            "ASSIGNMENT_ID_NOT_AVAILABLE",
        ),
        (("participantId", "projectId", ""), ("8F" * 16, "A0" * 16, ""), "8F"),
    ],
)  # fmt: skip
def test_other_platforms_have_their_own_ids_and_ask_for_an_address(
    make_link: MakeLink, client: Client, parameters: tuple[str, ...], good: tuple[str, ...], bad: str
) -> None:
    page = page_of(make_link(*parameters))
    ids = {name: text for name, text in zip(parameters, good, strict=True) if name}
    shown = client.get(page, ids, follow=True).content.decode()
    assert 'name="email"' in shown
    last = list(ids)[-1] if bad.startswith("ASSIGNMENT") else parameters[0]
    assert client.get(page, ids | {last: bad}).status_code == 409


def test_a_person_of_prolific_is_not_asked_for_an_address_and_signs_in_by_the_alias(
    make_link: MakeLink, client: Client
) -> None:
    page = page_of(make_link("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    shown = client.get(page, PROLIFIC, follow=True).content.decode()
    assert 'name="email"' not in shown
    assert ALIAS in shown
    sent = client.post(page, {"email": "ada@example.org"})
    assert sent["Location"] == f"/accounts/login/?next={page}"
    client.post(sent["Location"], {"email": ALIAS, "next": page})
    mails_send(clock=timezone.now)
    assert mail.outbox[-1].to == [ALIAS]
    code = re.search(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    client.post("/accounts/login/code/confirm/", {"code": code[1], "next": page})
    client.post(page)
    person = Participant.objects.get()
    assert (person.user.email, person.platform_entry.platform_participant) == (ALIAS, PERSON)
    assert not User.objects.filter(email="ada@example.org").exists(), "an address that was sent all the same"


def test_the_lead_is_told_by_whose_rules_a_link_goes(make_link: MakeLink, staff: Client) -> None:
    address = "/staff/studies/pilot/recruiting/?profile=stem-phd"
    make_link("PID")
    assert "email.prolific.com" not in staff.get(address).content.decode()
    make_link("prolific_pid", "STUDY_ID")
    shown = " ".join(staff.get(address).content.decode().split())
    assert "Prolific forbids asking people for an address" in shown
    assert "{id}@email.prolific.com" in shown


def test_a_link_is_a_platforms_by_all_of_its_names(make_link: MakeLink) -> None:
    assert platform_of(make_link("PROLIFIC_PID", "", "")) == PLATFORMS[0]
    assert platform_of(make_link("participantId", "projectId")) == PLATFORMS[1]
    assert platform_of(make_link("participantId", "STUDY")) is None
