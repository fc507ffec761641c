"""The profile form, as participants meet it."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from studies.models import Participant, ProfileForm, Study, StudyEvent
from studies.protocol.consents import recorded_items
from studies.services.amendments import study_amend
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve, participant_reject
from studies.services.studies import study_close
from tests.studies.profiles.profile_forms import ANSWERS, PDF, PROFILE, media_files, upload, words

pytestmark = pytest.mark.django_db


# --- the form -------------------------------------------------------------------------------------------


def test_sending_the_form_puts_an_invited_person_before_the_study_team(
    visitor: Client, person: Participant
) -> None:
    answer = visitor.post(PROFILE, ANSWERS)
    assert (answer.status_code, answer["Location"]) == (302, "/studies/pilot/")
    form = ProfileForm.objects.get()
    assert (form.participant, form.answers) == (person, ANSWERS)
    person.refresh_from_db()
    assert (person.vetting_status, person.submitted_at) == ("submitted", form.submitted_at)
    event = StudyEvent.objects.get(kind="profile_submitted")
    assert (event.actor, event.participant, event.details) == (person.user, person, {})


def test_only_the_questions_of_the_study_are_asked(
    make_study: Callable[..., Study], client: Client, now: datetime
) -> None:
    study = make_study(slug="short", profile_questions=["level"], credential_file="off")
    person = participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)
    consent_record(participant=person, accepted=True, now=now)
    client.force_login(person.user)
    page = client.get("/studies/short/profile/").content.decode()
    assert set(re.findall(r'name="(\w+)"', page)) - {"viewport", "robots"} >= {"level"}
    assert not {"field", "languages", "credential", "ai_experience"} & set(re.findall(r'name="(\w+)"', page))
    client.post("/studies/short/profile/", {"level": "school", "field": "not asked"})
    assert ProfileForm.objects.get().answers == {"level": "school"}


def test_a_profile_can_have_questions_of_its_own(
    make_study: Callable[..., Study], client: Client, now: datetime
) -> None:
    profiles = [
        {"slug": "stem-phd", "name": "PhD", "description": "Doctors", "questions": ["field", "institution"]},
        {"slug": "others", "name": "Others", "description": "Everybody else"},
    ]
    make_study(slug="two", profiles=profiles, profile_questions=["level"], credential_file="off")
    study = Study.objects.get(slug="two")
    asked = {}
    for profile in ("stem-phd", "others"):
        email = f"{profile}@example.org"
        person = participant_add(study=study, email=email, profile=profile, now=now)
        consent_record(participant=person, accepted=True, now=now)
        client.force_login(person.user)
        page = client.get("/studies/two/profile/").content.decode()
        asked[profile] = {"field", "institution", "level", "languages"} & set(
            re.findall(r'name="(\w+)"', page)
        )
    assert asked == {"stem-phd": {"field", "institution"}, "others": {"level"}}
    assert {item for item in recorded_items(study.protocol) if item.startswith("profile:")} == {
        "profile:field",
        "profile:institution",
        "profile:level",
    }


def test_a_study_that_asks_nothing_takes_the_empty_form(
    make_study: Callable[..., Study], client: Client, now: datetime
) -> None:
    study = make_study(slug="none", profile_questions=[], credential_file="off")
    person = participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)
    Participant.objects.update(vetting_status="invited")
    consent_record(participant=person, accepted=True, now=now)
    client.force_login(person.user)
    assert "asks nothing about you" in words(client.get("/studies/none/profile/").content)
    client.post("/studies/none/profile/")
    assert Participant.objects.get().vetting_status == "submitted"


def test_what_is_missing_is_said_and_the_rest_stays(visitor: Client, person: Participant) -> None:
    page = visitor.post(PROFILE, {**ANSWERS, "languages": " ", "level": "king"})
    assert page.status_code == 422
    text = words(page.content)
    assert "Nothing was sent yet" in text
    assert "Choose one of the answers." in text
    assert 'value="Molecular biology"' in text
    assert "A few, in a talk in 2029</textarea>" in text
    assert not ProfileForm.objects.exists()
    person.refresh_from_db()
    assert person.vetting_status == "invited"


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"field": "bio\0logy"}, "NUL character; remove it"),
        ({"field": "x" * 201}, "at most 200 are allowed"),
        ({"prior_exposure_details": "x" * 1001}, "at most 1,000 are allowed"),
    ],
    ids=["nul", "long", "long-details"],
)
def test_what_cannot_be_stored_is_one_sentence(
    visitor: Client, broken: dict[str, str], sentence: str
) -> None:
    page = visitor.post(PROFILE, {**ANSWERS, **broken})
    assert page.status_code == 422
    assert page.content.decode().count('class="errorlist"') == 1
    assert sentence in words(page.content)
    assert "Deutsch, English" in page.content.decode()
    assert not ProfileForm.objects.exists()


def test_the_form_may_be_corrected_until_the_decision(
    visitor: Client, person: Participant, now: datetime
) -> None:
    visitor.post(PROFILE, ANSWERS)
    assert 'value="Molecular biology"' in visitor.get(PROFILE).content.decode()
    visitor.post(PROFILE, ANSWERS)
    assert ProfileForm.objects.count() == 1
    visitor.post(PROFILE, {**ANSWERS, "field": "Botany"})
    assert ProfileForm.objects.count() == 2
    participant_approve(participant=person, now=now)
    page = words(visitor.get(PROFILE).content)
    assert ("Botany" in page, "<form method" in page) == (True, False)
    assert "Yes: A few, in a talk in 2029" in page
    late = visitor.post(PROFILE, {**ANSWERS, "field": "Physics"})
    assert late.status_code == 422
    assert "has decided already" in words(late.content)
    assert ProfileForm.objects.count() == 2


def test_nothing_is_asked_before_consent_and_a_form_that_was_open_keeps_its_text(
    visitor: Client, person: Participant, study: Study, now: datetime
) -> None:
    study_amend(study=study, changes={"consent_text": "Another text."}, reason="Ethics board", now=now)
    page = visitor.get(PROFILE, follow=True)
    assert page.redirect_chain == [("/studies/pilot/consent/", 302)]
    assert "read the consent text and decide before you fill in the profile form" in words(page.content)
    refused = visitor.post(PROFILE, {**ANSWERS, "credential": upload(PDF)})
    assert refused.status_code == 422
    assert 'value="Molecular biology"' in refused.content.decode()
    assert "read the consent text and decide before" in words(refused.content)
    assert (ProfileForm.objects.count(), media_files()) == (0, [])
    person.refresh_from_db()
    assert person.vetting_status == "invited"
    consent_record(participant=person, accepted=True, now=now)
    assert visitor.post(PROFILE, ANSWERS).status_code == 302


def test_no_form_is_taken_after_the_end(visitor: Client, study: Study, now: datetime) -> None:
    study_close(study=study, now=now)
    assert "The study is closed" in words(visitor.get(PROFILE).content)
    assert visitor.post(PROFILE, ANSWERS).status_code == 422
    assert not ProfileForm.objects.exists()


def test_answers_are_shown_as_text(visitor: Client, person: Participant, now: datetime) -> None:
    visitor.post(PROFILE, {**ANSWERS, "field": "<script>alert(1)</script>"})
    participant_reject(participant=person, reason="No", now=now)
    page = visitor.get(PROFILE).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_strangers_find_no_form(client: Client, study: Study, staff_client: Client) -> None:
    assert client.get(PROFILE)["Location"] == f"/accounts/login/?next={PROFILE}"
    assert staff_client.get(PROFILE).status_code == 404
    assert staff_client.post(PROFILE, ANSWERS).status_code == 404
    assert not ProfileForm.objects.exists()
