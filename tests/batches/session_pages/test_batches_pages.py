"""The pages of a session while it runs: who may see them, overview, prompts."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batches.models import Answer, Revision, Session
from batches.services.starting import session_start
from studies.models import Participant, Study
from tests.batches.session_pages.session_pages import end_ago, text_of

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]
SESSION_PAGES = ("", "prompts/1/", "resources/", "submit/", "receipt/")


# --- who may see a page -----------------------------------------------------------------------------


def test_a_study_of_others_does_not_exist_for_a_person(page: Client, make_study: MakeStudy) -> None:
    make_study(slug="other")
    for address in ("/studies/other/", "/studies/other/start/", "/studies/none/", "/studies/other/withdraw/"):
        assert page.get(address).status_code == 404


def test_without_signing_in_every_page_leads_to_the_sign_in_and_those_of_a_session_are_not_there(
    session: Session,
) -> None:
    for address in ("/studies/pilot/", "/studies/pilot/start/", "/studies/pilot/withdraw/"):
        reply = Client().get(address)
        assert (reply.status_code, reply["Location"]) == (302, f"/accounts/login/?next={address}")
    for rest in SESSION_PAGES:
        address = f"/sessions/{session.pk}/{rest}"
        reply = Client().get(address)
        assert reply.status_code == 404
        assert f'href="/accounts/login/?next={address}"' in reply.content.decode()


# --- overview and prompts -----------------------------------------------------------------------------


def test_the_overview_lists_every_prompt_with_its_state_in_words(page: Client, session: Session) -> None:
    page.get(f"/sessions/{session.pk}/prompts/2/")
    page.post(f"/sessions/{session.pk}/prompts/3/", {"text": "7", "base_revision": 0})
    text = text_of(page.get(f"/sessions/{session.pk}/"))
    labels = list(session.answers.order_by("position").values_list("prompt__label", flat=True))
    assert f"Question 1 {labels[0]} not opened" in text
    assert f"Question 2 {labels[1]} opened, empty" in text
    assert f"Question 3 {labels[2]} answered" in text
    assert f"Question 4 {labels[3]} not opened" in text


def test_real_people_get_no_prompt_ids_and_simulated_ones_do(page: Client, session: Session) -> None:
    address = f"/sessions/{session.pk}/"
    assert "data-prompt=" not in page.get(address).content.decode()
    Study.objects.update(is_simulated=True)
    places = re.findall(r'data-position="(\d+)"\s+data-prompt="(p\d+)"', page.get(address).content.decode())
    assert [position for position, _ in places] == ["1", "2", "3", "4"]


def test_a_prompt_page_shows_the_prompt_and_stamps_its_first_view(page: Client, session: Session) -> None:
    reply = page.get(f"/sessions/{session.pk}/prompts/1/")
    answer = Answer.objects.select_related("prompt").get(position=1)
    assert answer.prompt.text in text_of(reply)
    assert answer.first_seen_at is not None
    page.get(f"/sessions/{session.pk}/prompts/1/")
    assert Answer.objects.get(position=1).first_seen_at == answer.first_seen_at
    assert Answer.objects.exclude(first_seen_at=None).count() == 1


def test_no_page_holds_inline_script_or_style(page: Client, session: Session) -> None:
    for rest in ("", "prompts/1/", "resources/", "submit/"):
        reply = page.get(f"/sessions/{session.pk}/{rest}")
        content = reply.content.decode()
        assert not re.search(r"<script(?![^>]* src=)", content)
        assert not re.search(r"<style|\sstyle=|\son\w+=", content)
        assert "script-src 'self'" in reply["Content-Security-Policy"]
        assert set(reply["Cache-Control"].split(", ")) == {"private", "no-cache"}


def test_a_prompt_page_needs_a_fixed_number_of_queries(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    counts = []
    for size in (2, 12):
        participant = make_person(make_study(prompts=size, batch_size=size))
        session = session_start(participant=participant, now=timezone.now())
        client = Client()
        client.force_login(participant.user)
        client.get(f"/sessions/{session.pk}/prompts/1/")
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/sessions/{session.pk}/prompts/1/")
        counts.append(len(queries))
    # One of them asks for the notices of the study team.
    assert counts == [7, 7]


def test_a_prompt_that_is_not_in_the_batch_does_not_exist(page: Client, session: Session) -> None:
    for position in ("0", "5", "99999999999999999999"):
        assert page.get(f"/sessions/{session.pk}/prompts/{position}/").status_code == 404


def test_nobody_opens_the_session_of_somebody_else(
    session: Session, make_person: MakePerson, admin_client: Client
) -> None:
    other = Client()
    other.force_login(make_person(session.participant.study).user)
    for client in (other, admin_client):
        for rest in SESSION_PAGES:
            assert client.get(f"/sessions/{session.pk}/{rest}").status_code == 404
    assert not session.answers.exclude(first_seen_at=None).exists()


def test_saving_without_javascript_goes_on_to_the_next_prompt(page: Client, session: Session) -> None:
    address = f"/sessions/{session.pk}/prompts/1/"
    reply = page.post(address, {"text": "line 1\r\nline 2", "base_revision": 0, "go": "next"})
    assert reply["Location"] == f"/sessions/{session.pk}/prompts/2/"
    assert Answer.objects.get(position=1).text == "line 1\nline 2"


def test_going_on_without_writing_saves_nothing(page: Client, session: Session) -> None:
    page.post(f"/sessions/{session.pk}/prompts/4/", {"text": "", "base_revision": 0, "go": "next"})
    assert not Revision.objects.exists()


def test_a_stale_form_gets_its_text_back_beside_the_newer_one(page: Client, session: Session) -> None:
    address = f"/sessions/{session.pk}/prompts/1/"
    page.post(address, {"text": "newer", "base_revision": 0})
    reply = page.post(address, {"text": "older page", "base_revision": 0})
    assert reply.status_code == 409
    text = text_of(reply)
    assert "was changed in another tab" in text
    assert "newer" in text
    assert "older page" in text
    assert Answer.objects.get(position=1).text == "newer"
    again = page.post(address, {"text": "older page", "base_revision": 1})
    assert again.status_code == 302
    assert Answer.objects.get(position=1).text == "older page"


def test_a_form_sent_twice_is_saved_once(page: Client, session: Session) -> None:
    address = f"/sessions/{session.pk}/prompts/1/"
    for _ in range(2):
        assert page.post(address, {"text": "once", "base_revision": 0}).status_code == 302
    assert Revision.objects.count() == 1


def test_a_form_after_the_deadline_gets_its_text_back_and_changes_nothing(
    page: Client, session: Session
) -> None:
    end_ago(session, 60)
    reply = page.post(f"/sessions/{session.pk}/prompts/1/", {"text": "too late", "base_revision": 0})
    assert reply.status_code == 410
    assert "Your time has ended" in text_of(reply)
    assert "too late" in text_of(reply)
    assert Answer.objects.get(position=1).text == ""
    assert Revision.objects.get().outcome == "refused_late"


@pytest.mark.parametrize("text", ["a\x00b", "x" * 100_001])
def test_a_form_that_cannot_be_stored_gets_its_text_back_with_the_reason(
    page: Client, session: Session, text: str
) -> None:
    reply = page.post(f"/sessions/{session.pk}/prompts/1/", {"text": text, "base_revision": 0})
    assert reply.status_code == 422
    assert 'class="errorlist"' in reply.content.decode()
    assert text[-2:] in reply.content.decode()
    assert Answer.objects.get(position=1).text == ""


def test_a_browser_keeps_no_field_of_the_answer_over_a_reload(page: Client, session: Session) -> None:
    content = page.get(f"/sessions/{session.pk}/prompts/1/").content.decode()
    fields = re.findall(r"<(?:textarea|input)[^>]*name=\"(?:text|base_revision)\"[^>]*>", content)
    assert len(fields) == 2
    assert all('autocomplete="off"' in field for field in fields)


def test_a_prompt_that_is_shown_beside_a_refusal_counts_as_seen(page: Client, session: Session) -> None:
    reply = page.post(f"/sessions/{session.pk}/prompts/3/", {"text": "7"})
    assert reply.status_code == 422
    assert "Question 3 of 4" in text_of(reply)
    assert Answer.objects.get(position=3).first_seen_at is not None


@pytest.mark.parametrize("form", [{"text": "my text"}, {"text": "my text\x00", "base_revision": 0}])
def test_a_form_after_the_end_shows_the_text_and_no_prompt_whatever_is_wrong_with_it(
    page: Client, session: Session, form: dict[str, object]
) -> None:
    end_ago(session, 60)
    reply = page.post(f"/sessions/{session.pk}/prompts/3/", form)
    assert reply.status_code == 410
    text = text_of(reply)
    assert "Your time has ended" in text
    assert "my text" in text
    assert "Question" not in text
    assert Answer.objects.get(position=3).first_seen_at is None
