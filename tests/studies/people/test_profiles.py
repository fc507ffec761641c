"""Profile forms and files below the pages: what is kept together, and how much is held on the way in."""

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import connection
from django.test import RequestFactory

from studies.forms.uploads import BoundedUpload
from studies.models import Credential, Participant, ProfileForm, Study, StudyEvent
from studies.selectors.participants import credentials_of, newest_profile
from studies.services.events import StudyEventKind, event_record
from studies.services.people.consents import consent_record
from studies.services.people.credentials import (
    MAX_BYTES,
    MAX_FILES,
    CheckedFile,
    CredentialRefused,
    credential_check,
)
from studies.services.people.participants import participant_add, participant_approve
from studies.services.people.profiles import CredentialMissing, ProfileClosed, profile_submit

FILE = CheckedFile("card.pdf", "application/pdf", b"%PDF-1.7 a certificate")


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", credential_file="required")


@pytest.fixture
def person(study: Study, now: datetime) -> Participant:
    person = participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)
    consent_record(participant=person, accepted=True, now=now)
    return person


def files() -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


@pytest.mark.django_db
def test_the_newest_form_and_file_count_and_all_are_kept(person: Participant, now: datetime) -> None:
    assert newest_profile(person) is None
    with pytest.raises(CredentialMissing):
        profile_submit(participant=person, answers={"field": "A"}, file=None, now=now)
    profile_submit(participant=person, answers={"field": "A"}, file=FILE, now=now)
    second = profile_submit(participant=person, answers={"field": "B"}, file=None, now=now)
    assert newest_profile(person) == second
    assert ProfileForm.objects.count() == 2
    assert credentials_of(person).count() == len(files()) == 1


@pytest.mark.django_db
def test_where_the_rows_cannot_be_written_no_file_stays(person: Participant, now: datetime) -> None:
    unstorable: dict[str, str] = {"field": object()}  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        profile_submit(participant=person, answers=unstorable, file=FILE, now=now)
    assert (files(), Credential.objects.count(), ProfileForm.objects.count()) == ([], 0, 0)


@pytest.mark.django_db
def test_nobody_fills_the_disk_with_files(person: Participant, now: datetime) -> None:
    for number in range(MAX_FILES):
        profile_submit(participant=person, answers={"field": str(number)}, file=FILE, now=now)
    with pytest.raises(CredentialRefused, match="no more are taken"):
        profile_submit(participant=person, answers={"field": "last"}, file=FILE, now=now)
    assert len(files()) == MAX_FILES
    profile_submit(participant=person, answers={"field": "last"}, file=None, now=now)


@pytest.mark.django_db
def test_who_withdrew_sends_nothing_more(person: Participant, now: datetime) -> None:
    event_record(study=person.study, kind=StudyEventKind.WITHDREW, now=now, participant=person)
    with pytest.raises(ProfileClosed, match="You have withdrawn"):
        profile_submit(participant=person, answers={}, file=FILE, now=now)
    assert files() == []


@pytest.mark.django_db(transaction=True)
def test_a_form_and_a_decision_at_once_leave_a_decision(person: Participant, now: datetime) -> None:
    Participant.objects.update(vetting_status="invited")
    ready = threading.Barrier(2)

    def send() -> None:
        ready.wait()
        try:
            profile_submit(participant=person, answers={"field": "A"}, file=FILE, now=now)
        except ProfileClosed:
            pass
        finally:
            connection.close()

    def approve() -> None:
        ready.wait()
        participant_approve(participant=person, now=now)
        connection.close()

    threads = [threading.Thread(target=send), threading.Thread(target=approve)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    person.refresh_from_db()
    assert person.vetting_status == "approved"
    assert len(files()) == Credential.objects.count() == ProfileForm.objects.count()
    kinds = list(StudyEvent.objects.values_list("kind", flat=True))
    assert kinds[-1] == "participant_approved"


# --- on the way in --------------------------------------------------------------------------------------


def handler() -> BoundedUpload:
    upload = BoundedUpload(RequestFactory().post("/"))
    upload.new_file("credential", "card.pdf", "application/pdf", None)
    return upload


def test_a_file_of_the_largest_size_arrives_whole() -> None:
    upload = handler()
    content = bytes(1024) * (MAX_BYTES // 1024)
    upload.receive_data_chunk(content, 0)
    file = upload.file_complete(len(content))
    assert file is not None
    assert (file.size, file.read(), file.name) == (MAX_BYTES, content, "card.pdf")


def test_of_a_larger_file_nothing_is_held_but_its_size() -> None:
    upload = handler()
    chunk = bytes(64 * 1024)
    for number in range(320):  # 20 MB
        upload.receive_data_chunk(chunk, number * len(chunk))
        assert sum(map(len, upload.parts)) <= MAX_BYTES
    assert upload.parts == []
    file = upload.file_complete(320 * len(chunk))
    assert file is not None
    assert (file.size, file.read()) == (320 * len(chunk), b"")


def test_many_files_of_one_request_share_the_bound() -> None:
    upload = handler()
    upload.receive_data_chunk(bytes(MAX_BYTES), 0)
    assert upload.file_complete(MAX_BYTES) is not None
    upload.new_file("more", "b.pdf", "application/pdf", None)
    upload.receive_data_chunk(b"%PDF-", 0)
    file = upload.file_complete(5)
    assert file is not None
    assert file.size is not None
    assert (file.size > MAX_BYTES, file.read()) == (True, b"")


def test_a_request_beyond_all_bounds_is_refused() -> None:
    upload = handler()
    with pytest.raises(RequestDataTooBig):
        upload.receive_data_chunk(bytes(settings.MAX_BODY_BYTES + 1), 0)
    assert upload.parts == []


def test_what_is_checked_has_its_true_type_and_a_name_without_tricks() -> None:
    checked = credential_check(name="a\\b/c\x00d.PDF", size=9, content=b"%PDF-1.4\n")
    assert (checked.name, checked.media_type) == ("cd.pdf", "application/pdf")
    long = credential_check(name="x" * 500 + ".pdf", size=9, content=b"%PDF-1.4\n")
    assert len(long.name) <= 200
