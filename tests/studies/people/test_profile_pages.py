"""The profile form and its files, as participants and staff meet them."""

import re
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image
from pytest_django import Settings

from studies.models import Credential, Participant, ProfileForm, Study, StudyEvent, User
from studies.protocol.consents import recorded_items
from studies.services.amendments import study_amend
from studies.services.people.consents import consent_record
from studies.services.people.participants import participant_add, participant_approve, participant_reject
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db

PROFILE = "/studies/pilot/profile/"
ANSWERS = {
    "field": "Molecular biology",
    "level": "doctoral",
    "institution": "",
    "languages": "Deutsch, English",
    "prior_baselining": "no",
    "prior_baselining_details": "",
    "prior_exposure": "yes",
    "prior_exposure_details": "A few, in a talk in 2029",
    "ai_experience": "daily",
}
PDF = b"%PDF-1.7 a certificate"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def person(study: Study, now: datetime) -> Participant:
    person = participant_add(study=study, email="person@example.org", profile="stem-phd", now=now)
    Participant.objects.filter(pk=person.pk).update(vetting_status="invited")
    person.refresh_from_db()
    consent_record(participant=person, accepted=True, now=now)
    return person


@pytest.fixture
def visitor(client: Client, person: Participant) -> Client:
    client.force_login(person.user)
    return client


@pytest.fixture
def staff_client() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("lead@example.org", is_staff=True))
    return client


def upload(content: bytes, name: str = "card.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def image(kind: str) -> bytes:
    stream = BytesIO()
    Image.new("RGB", (8, 8), "navy").save(stream, kind)
    return stream.getvalue()


def words(page: bytes) -> str:
    return re.sub(r"\s+", " ", page.decode())


def media_files() -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


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
        ({"prior_exposure_details": "x" * 1001}, "at most 1000 are allowed"),
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


# --- who may open it ------------------------------------------------------------------------------------


@pytest.fixture
def credential(visitor: Client) -> Credential:
    visitor.post(PROFILE, {**ANSWERS, "credential": upload(PDF, "Prüfung.pdf")})
    return Credential.objects.get()


def address(credential: Credential) -> str:
    code = credential.participant.code
    return f"/staff/studies/pilot/participants/{code}/credentials/{credential.token}/"


def test_staff_get_the_file_to_save_and_it_is_recorded(staff_client: Client, credential: Credential) -> None:
    answer = staff_client.get(address(credential))
    assert b"".join(answer.streaming_content) == PDF  # type: ignore[attr-defined]
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''Pr%C3%BCfung.pdf"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert set(answer["Cache-Control"].split(", ")) == {"private", "no-store"}
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
