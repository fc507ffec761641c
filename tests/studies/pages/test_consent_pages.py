"""The page of the consent."""

import re
from datetime import datetime

import pytest
from django.test import Client

from studies.models import Consent, Participant, Study
from studies.protocol.consents import consent_sha256
from studies.services.amendments import study_amend
from studies.services.people.participants import participant_reject
from studies.services.studies import study_close
from tests.studies.pages.study_pages import CONSENT, assert_well_made, consent_form, signed_in

pytestmark = pytest.mark.django_db


def test_the_consent_text_is_shown_as_it_is_meant(person: Participant) -> None:
    page = signed_in(person).get(CONSENT).content.decode()
    assert "<strong>What is recorded</strong>" in page
    assert consent_sha256(person.study.protocol) in page
    assert_well_made(page.encode())


def test_agreeing_is_recorded_and_leads_to_the_study(person: Participant) -> None:
    client = signed_in(person)
    answered = client.post(CONSENT, consent_form(person.study, "accept"))
    assert (answered.status_code, answered["Location"]) == (302, "/studies/pilot/")
    consent = Consent.objects.get()
    assert (consent.participant, consent.accepted) == (person, True)
    page = client.get(CONSENT).content
    assert b"You agreed to this on" in re.sub(rb"\s+", b" ", page)
    assert b"I agree and take part" not in page
    assert (b"I decline" in page, b'href="/studies/pilot/withdraw/"' in page) == (False, True)


def test_declining_is_recorded_and_thanked_for(person: Participant) -> None:
    page = signed_in(person).post(CONSENT, consent_form(person.study, "decline"), follow=True)
    assert b"Thank you for considering it" in page.content
    assert b"No clock starts" in page.content
    assert b"I agree and take part" in page.content
    assert b"I decline" not in page.content
    assert not Consent.objects.get().accepted
    assert_well_made(page.content)


def test_the_page_lists_what_the_settings_make_the_site_record(person: Participant, now: datetime) -> None:
    page = signed_in(person).get(CONSENT).content.decode()
    assert "every version of an answer that reached the server" in page
    assert "how sure you say you are" not in page
    study_amend(study=person.study, changes={"confidence_per_prompt": True}, reason="Reviewers", now=now)
    assert "how sure you say you are" in signed_in(person).get(CONSENT).content.decode()


def test_the_newest_decision_can_be_kept_as_a_file(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    assert client.get(f"{CONSENT}copy/").status_code == 404
    client.post(CONSENT, consent_form(person.study, "accept"))
    agreed_to = consent_sha256(person.study.protocol)
    changes: dict[str, object] = {"consent_text": "Später: **neu**"}
    study_amend(study=person.study, changes=changes, reason="Ethics", now=now)
    answer = client.get(f"{CONSENT}copy/")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    name = f"consent-pilot-{person.code}.txt"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    copy = answer.content.decode()
    assert f"Participant code: {person.code}\nDecision: agreed to take part\nTime: " in copy
    decided = person.consents.get(accepted=True).decided_at
    assert f"Time: {decided.day} {decided:%B %Y, %H:%M:%S} UTC\n" in copy
    assert agreed_to in copy
    assert "Später" not in copy
    assert "- every version of an answer that reached the server, with its time\n" in copy
    client.post(CONSENT, consent_form(Study.objects.get(), "accept"))
    assert "Später: **neu**" in client.get(f"{CONSENT}copy/").content.decode()


def test_a_copy_is_for_the_person_alone(person: Participant, staff_client: Client) -> None:
    signed_in(person).post(CONSENT, consent_form(person.study, "decline"))
    assert staff_client.get(f"{CONSENT}copy/").status_code == 404
    assert Client().get(f"{CONSENT}copy/").status_code == 302


@pytest.mark.parametrize("form", [{}, {"decision": "maybe"}, {"decision": "accept", "shown": "x"}])
def test_a_decision_that_cannot_be_read_is_not_recorded(person: Participant, form: dict[str, str]) -> None:
    page = signed_in(person).post(CONSENT, form)
    assert page.status_code == 422
    assert b'role="alert"' in page.content
    assert not Consent.objects.exists()


def test_a_text_that_changed_meanwhile_is_shown_again(person: Participant, now: datetime) -> None:
    form = consent_form(person.study, "accept")
    changes: dict[str, object] = {"consent_text": "**Newer** text"}
    study_amend(study=person.study, changes=changes, reason="Ethics", now=now)
    page = signed_in(person).post(CONSENT, form)
    assert page.status_code == 422
    assert b"The text was changed while you were reading" in page.content
    assert b"<strong>Newer</strong> text" in page.content
    assert not Consent.objects.exists()


def test_an_earlier_agreement_to_another_text_is_said(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    client.post(CONSENT, consent_form(person.study, "accept"))
    study_amend(study=person.study, changes={"consent_text": "Newer text"}, reason="Ethics", now=now)
    page = client.get(CONSENT).content
    said = b"The text or the list of what is recorded was changed since you decided"
    assert said in re.sub(rb"\s+", b" ", page)
    assert b"I agree and take part" in page


def test_after_the_end_there_is_nothing_to_decide(person: Participant, now: datetime) -> None:
    client = signed_in(person)
    study_close(study=person.study, now=now)
    assert b"I agree and take part" not in client.get(CONSENT).content
    assert client.post(CONSENT, consent_form(person.study, "accept")).status_code == 422
    assert not Consent.objects.exists()


def test_a_rejected_person_has_nothing_to_decide(person: Participant, now: datetime) -> None:
    participant_reject(participant=person, reason="No degree", now=now)
    page = signed_in(person).get(CONSENT).content
    assert b"I agree and take part" not in page
    assert b"No degree" not in page


def test_a_draft_shows_no_text_yet(person: Participant) -> None:
    Study.objects.update(status="draft")
    page = signed_in(person).get(CONSENT).content
    assert b"still being prepared" in page
    assert b"What is recorded" not in page


def test_hostile_consent_text_stays_text(person: Participant, now: datetime) -> None:
    text = "<script>alert(1)</script> [x](javascript:alert(1))"
    study_amend(study=person.study, changes={"consent_text": text}, reason="Ethics", now=now)
    assert_well_made(signed_in(person).get(CONSENT).content)
