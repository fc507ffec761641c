"""What belongs to somebody else does not exist, for strangers and for visitors."""

import hashlib
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.urls import URLResolver, get_resolver
from django.utils import timezone
from playwright.sync_api import APIResponse, BrowserContext

from batches.models import Answer, Session
from batches.services.ending import DeclaredResources, session_submit
from studies.bank.records import AttachmentRecord, PromptRecord
from studies.models import Attachment, Participant, Study, User

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000100000001080600000"
    "01f15c4890000000d49444154789c6360f8cf500f0003860180"
    "5a347d6b0000000049454e44ae426082"
)
SECRET = "Nobody else may read this."


@pytest.fixture
def study_with_images(make_study: Callable[..., Study], tmp_path: Path) -> Study:
    """Two batches of one prompt each, every prompt with an image."""
    (tmp_path / "image.png").write_bytes(PIXEL)
    image = AttachmentRecord(
        name="image.png",
        path="image.png",
        media_type="image/png",
        size_bytes=len(PIXEL),
        sha256=hashlib.sha256(PIXEL).hexdigest(),
    )
    prompts = [
        PromptRecord(prompt_id=f"p{n}", text=f"What is image {n}?", gold_answer="1", attachments=(image,))
        for n in (1, 2)
    ]
    return make_study(prompts=prompts, batch_size=1, root=tmp_path, replicates_per_profile=1)


@pytest.fixture
def theirs(study_with_images: Study, begin: Callable[..., Session]) -> Session:
    """Somebody's running session, with a text in it."""
    session = begin(study_with_images)
    Answer.objects.filter(session=session).update(text=SECRET, has_text=True, revision=1)
    return session


def image_of(session: Session) -> str:
    found = Attachment.objects.get(prompt=session.answers.get().prompt)
    return f"/attachments/{found.token}/{found.name}"


def pages(session_id: uuid.UUID) -> Iterator[str]:
    yield from (
        f"/sessions/{session_id}/{rest}" for rest in ("", "prompts/1/", "resources/", "submit/", "receipt/")
    )


def ask(device: BrowserContext, method: str, path: str, data: object = None) -> APIResponse:
    """One request with the browser's cookies and CSRF token, redirects not followed."""
    cookies = {cookie["name"]: cookie["value"] for cookie in device.cookies()}
    headers = {"X-CSRFToken": cookies.get("csrftoken", "")}
    return device.request.fetch(path, method=method, data=data, headers=headers, max_redirects=0)


def without_tokens(html: str) -> str:
    """The page without what differs between any two replies."""
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", html)


def api_calls(session_id: uuid.UUID) -> list[tuple[str, str, object]]:
    save = {"text": "Mine!", "note": "", "confidence": None, "base_revision": 1, "tab": "t", "sequence": 1}
    api = f"/api/sessions/{session_id}"
    return [
        ("GET", f"{api}/answers/1", None),
        ("POST", f"{api}/answers/1", save),
        ("PUT", f"{api}/answers/1/flag", {"flagged": True}),
        ("GET", f"{api}/time", None),
    ]


def test_a_signed_in_stranger_gets_404_everywhere(
    theirs: Session, begin: Callable[..., Session], new_device: Callable[..., BrowserContext]
) -> None:
    stranger = begin(theirs.participant.study)
    device = new_device(stranger.participant.user)
    device.new_page().goto(f"/sessions/{stranger.pk}/prompts/1/")
    base = f"/sessions/{theirs.pk}/"
    for method, path, data in [
        *(("GET", path, None) for path in pages(theirs.pk)),
        *(("POST", path, {}) for path in pages(theirs.pk)),
        *api_calls(theirs.pk),
        ("GET", image_of(theirs), None),
    ]:
        reply = ask(device, method, path, data)
        # Pages that take no form answer 405 to anybody who sends one, before they look who it is.
        takes_no_form = method == "POST" and path in (base, f"{base}receipt/")
        assert reply.status == (405 if takes_no_form else 404), (method, path)
        assert SECRET not in reply.text()
    own = ask(device, "GET", image_of(stranger))
    assert (own.status, own.body()) == (200, PIXEL)
    assert Answer.objects.get(session=theirs).text == SECRET


def test_a_visitor_learns_nothing_from_an_address_not_even_whether_it_exists(
    theirs: Session, new_device: Callable[..., BrowserContext]
) -> None:
    device = new_device()
    device.new_page().goto("/accounts/login/")
    made_up = uuid.uuid4()
    for real, invented in zip(pages(theirs.pk), pages(made_up), strict=True):
        replies = [ask(device, "GET", path) for path in (real, invented)]
        assert [reply.status for reply in replies] == [404, 404]
        shown = [without_tokens(reply.text().replace(str(made_up), str(theirs.pk))) for reply in replies]
        assert shown[0] == shown[1]
    for call, same in zip(api_calls(theirs.pk), api_calls(made_up), strict=True):
        real_reply, invented_reply = ask(device, *call), ask(device, *same)
        assert (real_reply.status, real_reply.text()) == (invented_reply.status, invented_reply.text())
        assert real_reply.status == 404
    attachments = [image_of(theirs), f"/attachments/{made_up}/image.png"]
    assert [ask(device, "GET", path).status for path in attachments] == [404, 404]


def test_an_attachment_has_an_unguessable_name_and_is_checked_at_every_request(
    theirs: Session, new_device: Callable[..., BrowserContext]
) -> None:
    device = new_device(theirs.participant.user)
    device.new_page().goto(f"/sessions/{theirs.pk}/prompts/1/")
    address = image_of(theirs)
    token = re.search(r"/attachments/([^/]+)/", address)
    assert token is not None
    assert uuid.UUID(token[1]).version == 4
    assert ask(device, "GET", address).status == 200
    assert ask(device, "GET", address.replace("image.png", "other.png")).status == 404
    session_submit(session=theirs, resources=DeclaredResources((), ""), now=timezone.now())
    assert ask(device, "GET", address).status == 404


def test_the_pages_of_a_study_exist_only_for_those_in_it(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    new_device: Callable[..., BrowserContext],
) -> None:
    study, stranger = make_study(), make_person(make_study())
    device, visitor = new_device(stranger.user), new_device()
    for rest in paths_below("studies/<slug:slug>/", number="1"):
        path = f"/studies/{study.slug}/{rest}"
        assert ask(device, "GET", path).status == 404, path
        assert ask(visitor, "GET", path).headers.get("location", "").startswith("/accounts/login/"), path


def test_the_pages_of_the_study_team_exist_only_for_the_team(
    theirs: Session, new_device: Callable[..., BrowserContext], staff: User
) -> None:
    participant = theirs.participant
    device, visitor = new_device(participant.user), new_device()
    arguments = {"number": "1", "code": participant.code, "token": str(uuid.uuid4())}
    arguments |= {"results_id": "1", "action": "extend", "sample": "1"}
    arguments |= {"kind": "decision", "page": "basics", "label": "Q-222", "file_id": str(uuid.uuid4())}
    arguments |= {"agreement_id": "1", "figure": "bland-altman", "block": "top", "extension": "svg"}
    found = paths_below("staff/studies/<slug:slug>/", **arguments)
    assert "results/" in found
    for rest in ["", *found]:
        path = f"/staff/studies/{participant.study.slug}/{rest}"
        assert ask(device, "GET", path).status in (404, 405), path
        assert ask(visitor, "GET", path).status in (302, 405), path
    assert ask(device, "GET", "/staff/").status == 404
    assert ask(new_device(staff), "GET", "/staff/").status == 200


def paths_below(start: str, **arguments: str) -> list[str]:
    """The rest of every address of ours that begins so, its converters filled from `arguments`."""
    included = [part for part in get_resolver().url_patterns if isinstance(part, URLResolver)]
    patterns = [f"{part.pattern}{pattern.pattern}" for part in included for pattern in part.url_patterns]
    rests = [pattern.removeprefix(start) for pattern in patterns if pattern.startswith(start)]
    return [re.sub(r"<\w+:(\w+)>", lambda found: arguments[found[1]], rest) for rest in rests]
