"""Files of a profile: what is taken, and who may open it."""

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image
from pytest_django import Settings

from studies.models import Credential, Participant, ProfileForm, Study, StudyEvent
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve
from tests.studies.profiles.profile_forms import ANSWERS, PDF, PROFILE, media_files, upload, words

pytestmark = pytest.mark.django_db


def image(kind: str) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (8, 8), "navy").save(stream, kind)
    return stream.getvalue()


# --- the file -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name", "media_type", "kept_name"),
    [
        (PDF, "Card of A.pdf", "application/pdf", "Card of A.pdf"),
        (image("PNG"), "card.PNG", "image/png", "card.png"),
        (image("JPEG"), "photo", "image/jpeg", "photo.jpg"),
        (PDF, "dir/../../etc/passwd.pdf", "application/pdf", "passwd.pdf"),
        (PDF, "J.Doe.pdf", "application/pdf", "J.Doe.pdf"),
        (PDF, "e\u202efdp.pdf", "application/pdf", "efdp.pdf"),
    ],
    ids=["pdf", "png", "no-ending", "path", "initials", "direction-mark"],
)
def test_a_file_is_kept_under_a_name_of_its_own(
    visitor: Client, person: Participant, content: bytes, name: str, media_type: str, kept_name: str
) -> None:
    assert visitor.post(PROFILE, {**ANSWERS, "credential": upload(content, name)}).status_code == 302
    credential = Credential.objects.get()
    assert (credential.participant, credential.name, credential.media_type) == (
        person,
        kept_name,
        media_type,
    )
    assert credential.size_bytes == len(content)
    path = Path(settings.MEDIA_ROOT) / "credentials" / str(credential.token)
    assert media_files() == [path]
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o077 == 0
    event = StudyEvent.objects.get(kind="credential_uploaded")
    assert event.details == {"media_type": media_type, "size_bytes": len(content)}


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "card.pdf", "The file is empty"),
        (b"MZ\x90 program", "card.pdf", "is no PDF, PNG or JPEG"),
        (b"<html><script>", "card.png", "is no PDF, PNG or JPEG"),
        (image("PNG")[:40], "card.png", "is no PDF, PNG or JPEG"),
        (image("GIF"), "card.png", "is no PDF, PNG or JPEG"),
        (PDF, "card.exe", "does not fit the content"),
        (PDF, "card.pdf.exe", "has two endings"),
        (PDF, "card.exe.pdf", "has two endings"),
        (PDF + b"x" * 5 * 1024 * 1024, "card.pdf", "larger than 5 MB"),
        (PDF + b"x" * 20 * 1024 * 1024, "card.pdf", "larger than 5 MB"),
    ],
    ids="empty program page cut-off gif other-ending two-endings hidden-ending 5MB 20MB".split(),
)
def test_a_file_that_cannot_be_taken_is_one_sentence_and_the_rest_stays(
    visitor: Client, person: Participant, content: bytes, name: str, sentence: str
) -> None:
    page = visitor.post(PROFILE, {**ANSWERS, "credential": upload(content, name)})
    assert page.status_code == 422
    assert sentence in words(page.content)
    assert page.content.decode().count('class="errorlist"') == 1
    assert 'value="Molecular biology"' in page.content.decode()
    assert media_files() == []
    assert not ProfileForm.objects.exists()


def test_a_request_beyond_all_bounds_sends_nothing(visitor: Client, settings: Settings) -> None:
    settings.MAX_BODY_BYTES = 6 * 1024 * 1024
    content = PDF + b"x" * 7 * 1024 * 1024
    assert visitor.post(PROFILE, {**ANSWERS, "credential": upload(content)}).status_code == 413
    assert (media_files(), ProfileForm.objects.count()) == ([], 0)


def test_a_good_file_beside_a_mistake_is_to_be_chosen_again(visitor: Client) -> None:
    page = visitor.post(PROFILE, {**ANSWERS, "field": "", "credential": upload(PDF)})
    assert "choose your file again" in words(page.content)
    assert media_files() == []


def test_a_required_file_is_asked_for_once(
    make_study: Callable[..., Study], client: Client, now: datetime
) -> None:
    study = make_study(slug="strict", profile_questions=[], credential_file="required")
    person = participant_add(study=study, email="a@example.org", profile="stem-phd", now=now)
    Participant.objects.update(vetting_status="invited")
    consent_record(participant=person, accepted=True, now=now)
    client.force_login(person.user)
    url = "/studies/strict/profile/"
    assert "needs a file" in words(client.post(url).content)
    assert not ProfileForm.objects.exists()
    client.post(url, {"credential": upload(PDF)})
    assert Participant.objects.get().vetting_status == "submitted"
    assert "Handed in: card.pdf" in words(client.get(url).content)
    assert client.post(url).status_code == 302
    assert Credential.objects.count() == 1


def test_a_new_file_replaces_the_old_one_in_what_counts(visitor: Client, staff_client: Client) -> None:
    visitor.post(PROFILE, {**ANSWERS, "credential": upload(PDF, "old.pdf")})
    visitor.post(PROFILE, {**ANSWERS, "credential": upload(image("PNG"), "new.png")})
    assert Credential.objects.count() == len(media_files()) == 2
    assert "Handed in: new.png" in words(visitor.get(PROFILE).content)


def test_a_refused_form_leaves_no_file_behind(visitor: Client, person: Participant, now: datetime) -> None:
    participant_approve(participant=person, now=now)
    visitor.post(PROFILE, {**ANSWERS, "credential": upload(PDF)})
    assert (media_files(), Credential.objects.count()) == ([], 0)


def test_a_full_disk_is_said_and_nothing_is_sent(visitor: Client) -> None:
    Path(settings.MEDIA_ROOT).mkdir()
    (Path(settings.MEDIA_ROOT) / "credentials").write_text("in the way")
    page = visitor.post(PROFILE, {**ANSWERS, "credential": upload(PDF)})
    assert "could not be stored just now" in words(page.content)
    assert not ProfileForm.objects.exists()


def address(credential: Credential) -> str:
    code = credential.participant.code
    return f"/staff/studies/pilot/participants/{code}/credentials/{credential.token}/"


def test_staff_get_the_file_to_save_and_it_is_recorded(staff_client: Client, credential: Credential) -> None:
    answer = staff_client.get(address(credential))
    assert b"".join(answer.streaming_content) == PDF  # type: ignore[attr-defined]
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''Pr%C3%BCfung.pdf"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert set(answer["Cache-Control"].split(", ")) >= {"private", "no-store"}
    event = StudyEvent.objects.get(kind="credential_viewed")
    assert event.actor is not None
    assert event.actor.email == "lead@example.org"
    assert (event.participant, event.details) == (credential.participant, {"credential": credential.pk})


def test_nobody_else_gets_the_file(
    visitor: Client, credential: Credential, staff_client: Client, study: Study, now: datetime
) -> None:
    url = address(credential)
    assert visitor.get(url).status_code == 404
    assert Client().get(url).status_code == 302
    other = participant_add(study=study, email="other@example.org", profile="stem-phd", now=now)
    assert staff_client.get(url.replace(credential.participant.code, other.code)).status_code == 404
    assert staff_client.get(url.replace("/pilot/", "/none/")).status_code == 404
    assert staff_client.post(url).status_code == 405
    for path in (f"/media/credentials/{credential.token}", f"/static/credentials/{credential.token}"):
        assert staff_client.get(path).status_code == 404
    assert not StudyEvent.objects.filter(kind="credential_viewed").exists()


def test_a_file_that_is_gone_is_not_there_and_the_log_says_so(
    staff_client: Client, credential: Credential, caplog: pytest.LogCaptureFixture
) -> None:
    media_files()[0].unlink()
    assert staff_client.get(address(credential)).status_code == 404
    assert "a stored file is missing" in caplog.text
    assert not StudyEvent.objects.filter(kind="credential_viewed").exists()
