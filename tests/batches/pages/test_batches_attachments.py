"""Attachments: shown to those working on their prompt and to staff, to nobody else."""

import hashlib
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.http import FileResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from batches.models import Session
from batches.services.ending import DeclaredResources, session_submit
from batches.services.starting import session_start
from studies.bank.records import AttachmentRecord, PromptRecord
from studies.models import Attachment, Participant, Prompt, Study

pytestmark = pytest.mark.django_db
PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
PDF = b"%PDF-1.4 pages"


def record(folder: Path, name: str, media_type: str, content: bytes) -> AttachmentRecord:
    (folder / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return AttachmentRecord(
        name=name, path=name, media_type=media_type, size_bytes=len(content), sha256=digest
    )


@pytest.fixture
def session(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], tmp_path: Path
) -> Session:
    """A session whose one prompt has an image and a PDF; a second batch has a prompt with its own image."""
    files = (
        record(tmp_path, "plan.png", "image/png", PNG),
        record(tmp_path, "report.pdf", "application/pdf", PDF),
    )
    other = (record(tmp_path, "other.png", "image/png", PNG + b"2"),)
    prompts = [
        PromptRecord(prompt_id="p1", text="Which?", gold_answer="1", attachments=files),
        PromptRecord(prompt_id="p2", text="Which?", gold_answer="2", attachments=other),
    ]
    study = make_study(prompts=prompts, root=tmp_path, batch_size=1)
    # Of the two batches one person has one each.
    sessions = [session_start(participant=make_person(study), now=timezone.now()) for _ in range(2)]
    return next(s for s in sessions if s.answers.filter(prompt__prompt_id="p1").exists())


@pytest.fixture
def page(session: Session) -> Client:
    client = Client()
    client.force_login(session.participant.user)
    return client


def address(name: str) -> str:
    return f"/attachments/{Attachment.objects.get(name=name).token}/{name}"


def content(response: object) -> bytes:
    assert isinstance(response, FileResponse)
    chunks = b"".join(response)
    response.close()
    return chunks


def test_an_image_is_served_with_its_stored_type_and_nothing_is_guessed(page: Client) -> None:
    response = page.get(address("plan.png"))
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"] == 'inline; filename="plan.png"'
    assert response["X-Frame-Options"] == "DENY"
    assert "Content-Security-Policy" in response
    assert set(response["Cache-Control"].split(", ")) == {"private", "no-cache"}
    assert content(response) == PNG


def test_a_pdf_may_stand_in_a_frame_of_our_own_page(page: Client) -> None:
    response = page.get(address("report.pdf"))
    assert response["Content-Type"] == "application/pdf"
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "Content-Security-Policy" not in response
    assert content(response) == PDF


def test_the_prompt_page_shows_images_inline_and_pdfs_in_a_frame(page: Client, session: Session) -> None:
    text = page.get(f"/sessions/{session.pk}/prompts/1/").content.decode()
    assert f'<img src="{address("plan.png")}"' in text
    assert f'<iframe src="{address("report.pdf")}"' in text
    assert "sandbox" not in text


def test_a_file_of_another_batch_does_not_exist(page: Client) -> None:
    assert page.get(address("other.png")).status_code == 404


def test_nobody_sees_a_file_without_signing_in_or_before_starting(
    session: Session, make_person: Callable[..., Participant]
) -> None:
    newcomer = Client()
    newcomer.force_login(make_person(session.participant.study, profile="stem-undergraduate").user)
    for client in (Client(), newcomer):
        assert client.get(address("plan.png")).status_code == 404


def test_staff_sees_every_file(session: Session, admin_client: Client) -> None:
    assert content(admin_client.get(address("other.png"))) == PNG + b"2"


def test_staff_who_have_not_proved_their_second_factor_see_none(
    session: Session, admin_client: Client, settings: Settings
) -> None:
    settings.STAFF_SECOND_FACTOR = True
    assert admin_client.get(address("other.png")).status_code == 404


def test_a_file_is_gone_when_the_time_is_over(page: Client, session: Session) -> None:
    deadline_at = timezone.now() - timedelta(seconds=1)
    Session.objects.update(started_at=deadline_at - timedelta(hours=5), deadline_at=deadline_at)
    assert page.get(address("plan.png")).status_code == 404


def test_a_browser_that_has_the_file_is_told_so_without_getting_it_again(page: Client) -> None:
    etag = f'"{hashlib.sha256(PNG).hexdigest()}"'
    again = page.get(address("plan.png"), headers={"If-None-Match": etag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert set(again["Cache-Control"].split(", ")) == {"private", "no-cache"}
    other = page.get(address("plan.png"), headers={"If-None-Match": '"other"'})
    assert (content(other), other["ETag"]) == (PNG, etag)


def test_of_a_private_question_a_browser_keeps_no_file(page: Client) -> None:
    Prompt.objects.filter(attachments__name="plan.png").update(split="private")
    reply = page.get(address("plan.png"))
    assert (content(reply), reply["Cache-Control"]) == (PNG, "no-store, private, no-cache")


def test_a_copy_kept_by_a_browser_is_not_confirmed_to_who_may_not_see_it(
    page: Client, session: Session
) -> None:
    known = {"If-None-Match": f'"{hashlib.sha256(PNG).hexdigest()}"'}
    assert page.get(address("plan.png"), headers=known).status_code == 304
    assert Client().get(address("plan.png"), headers=known).status_code == 404
    session_submit(session=session, resources=DeclaredResources((), ""), now=timezone.now())
    assert page.get(address("plan.png"), headers=known).status_code == 404


def test_a_file_is_gone_after_submitting(page: Client, session: Session) -> None:
    session_submit(session=session, resources=DeclaredResources((), ""), now=timezone.now())
    assert page.get(address("plan.png")).status_code == 404


def test_a_file_that_is_missing_is_not_found_and_the_log_says_so(
    page: Client, admin_client: Client, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    for path in Path(settings.MEDIA_ROOT).rglob("*.png"):
        path.unlink()
    for client in (page, admin_client):
        caplog.clear()
        assert client.get(address("plan.png")).status_code == 404
        assert "a stored file is missing" in caplog.text
    assert content(page.get(address("report.pdf"))) == PDF


def test_a_wrong_token_or_name_finds_nothing(page: Client) -> None:
    token = Attachment.objects.get(name="plan.png").token
    assert page.get(f"/attachments/{uuid.uuid4()}/plan.png").status_code == 404
    assert page.get(f"/attachments/{token}/other.png").status_code == 404
    assert page.post(address("plan.png")).status_code == 405
