"""What people agree to, and when they are asked anew."""

from datetime import datetime, timedelta

import pytest

from studies.models import Consent, Participant, Study, StudyEvent
from studies.protocol.consents import consent_sha256, recorded_items
from studies.selectors.participants import has_valid_consent
from studies.services.amendments import study_amend
from studies.services.people.consents import ConsentGiven, ConsentNotAsked, ConsentTextChanged, consent_record
from studies.services.people.participants import participant_reject
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db


# --- consent --------------------------------------------------------------------------------------------


def test_consent_is_stored_with_exactly_its_text_and_list(person: Participant, now: datetime) -> None:
    assert not has_valid_consent(person)
    consent = consent_record(participant=person, accepted=True, now=now)
    protocol = person.study.protocol
    assert (consent.text, consent.sha256) == (protocol.consent_text, consent_sha256(protocol))
    assert (tuple(consent.recorded), consent.decided_at) == (recorded_items(protocol), now)
    assert has_valid_consent(person)
    event = StudyEvent.objects.get(kind="consent_accepted")
    assert (event.actor, event.details) == (person.user, {"consent_sha256": consent.sha256})


def test_the_newest_decision_counts(person: Participant, now: datetime) -> None:
    for accepted in (False, True):
        consent_record(participant=person, accepted=accepted, now=now)
        assert has_valid_consent(person) is accepted
    assert Consent.objects.count() == 2


def test_an_agreement_is_taken_back_by_withdrawing_only(
    study: Study, person: Participant, now: datetime
) -> None:
    consent_record(participant=person, accepted=True, now=now)
    with pytest.raises(ConsentGiven, match="withdraw from the study"):
        consent_record(participant=person, accepted=False, now=now)
    study_amend(study=study, changes={"consent_text": "Another text."}, reason="Ethics board", now=now)
    with pytest.raises(ConsentGiven):
        consent_record(participant=Participant.objects.get(), accepted=False, now=now)
    assert Consent.objects.get().accepted
    assert not StudyEvent.objects.filter(kind="consent_declined").exists()


def test_pressing_a_button_twice_is_one_decision(person: Participant, now: datetime) -> None:
    first = consent_record(participant=person, accepted=True, now=now)
    assert consent_record(participant=person, accepted=True, now=now + timedelta(seconds=1)) == first
    assert StudyEvent.objects.filter(kind="consent_accepted").count() == 1


def test_a_changed_text_needs_a_new_decision(study: Study, person: Participant, now: datetime) -> None:
    consent_record(participant=person, accepted=True, now=now)
    study_amend(study=study, changes={"consent_text": "Another text."}, reason="Ethics board", now=now)
    person = Participant.objects.get()
    assert not has_valid_consent(person)
    consent_record(participant=person, accepted=True, now=now)
    assert has_valid_consent(person)
    assert list(Consent.objects.order_by("id").values_list("text", flat=True))[1] == "Another text."


def test_recording_more_needs_a_new_decision(study: Study, person: Participant, now: datetime) -> None:
    consent_record(participant=person, accepted=True, now=now)
    study_amend(study=study, changes={"confidence_per_prompt": True}, reason="Asked by reviewers", now=now)
    person = Participant.objects.get()
    assert not has_valid_consent(person)
    assert "confidence" in consent_record(participant=person, accepted=True, now=now).recorded
    assert has_valid_consent(person)


def test_a_change_of_nothing_one_agrees_to_asks_nobody(
    study: Study, person: Participant, now: datetime
) -> None:
    consent_record(participant=person, accepted=True, now=now)
    study_amend(study=study, changes={"payment_note": "By bank transfer."}, reason="Asked", now=now)
    assert has_valid_consent(Participant.objects.get())


def test_a_decision_on_a_text_that_changed_meanwhile_is_not_taken(
    study: Study, person: Participant, now: datetime
) -> None:
    shown = consent_sha256(study.protocol)
    study_amend(study=study, changes={"consent_text": "Another text."}, reason="Ethics board", now=now)
    with pytest.raises(ConsentTextChanged, match="changed while you were reading"):
        consent_record(participant=person, accepted=True, shown_sha256=shown, now=now)
    assert not Consent.objects.exists()


def test_a_rejected_person_is_not_asked(person: Participant, now: datetime) -> None:
    participant_reject(participant=person, reason="No", now=now)
    with pytest.raises(ConsentNotAsked, match="You are not taking part"):
        consent_record(participant=person, accepted=True, now=now)


def test_nobody_is_asked_after_the_study_is_closed(study: Study, person: Participant, now: datetime) -> None:
    study_close(study=study, now=now)
    with pytest.raises(ConsentNotAsked, match="The study is closed"):
        consent_record(participant=person, accepted=True, now=now)


def test_nobody_is_asked_while_the_text_may_still_change(
    study: Study, person: Participant, now: datetime
) -> None:
    Study.objects.update(status="draft")
    with pytest.raises(ConsentNotAsked, match="still being prepared"):
        consent_record(participant=person, accepted=True, now=now)
