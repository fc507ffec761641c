"""The pages of a participant's session: overview, prompt, submit, receipt, withdrawal."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batches.models import Answer, Revision, Session, SessionEvent
from batches.services.ending import session_withdraw
from batches.services.starting import session_start
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]
SESSION_PAGES = ("", "prompts/1/", "resources/", "submit/", "receipt/")


@pytest.fixture
def participant(make_study: MakeStudy, make_person: MakePerson) -> Participant:
    return make_person(make_study(slug="pilot", replicates_per_profile=5))


@pytest.fixture
def page(participant: Participant) -> Client:
    """A browser signed in as the participant."""
    client = Client()
    client.force_login(participant.user)
    return client


@pytest.fixture
def session(participant: Participant) -> Session:
    return session_start(participant=participant, now=timezone.now())


def end_ago(session: Session, seconds: int) -> None:
    deadline_at = timezone.now() - timedelta(seconds=seconds)
    Session.objects.filter(pk=session.pk).update(
        started_at=deadline_at - timedelta(hours=5), deadline_at=deadline_at
    )


def text_of(reply: Any) -> str:
    """What the page says, without tags and with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode()))


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
    assert f"Prompt 1 {labels[0]} not opened" in text
    assert f"Prompt 2 {labels[1]} opened, empty" in text
    assert f"Prompt 3 {labels[2]} answered" in text
    assert f"Prompt 4 {labels[3]} not opened" in text


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
    assert not Answer.objects.exclude(first_seen_at=None).exists()


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
    assert "Prompt 3 of 4" in text_of(reply)
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


# --- end ----------------------------------------------------------------------------------------------


def test_the_review_names_the_prompts_without_an_answer(page: Client, session: Session) -> None:
    page.post(f"/sessions/{session.pk}/prompts/1/", {"text": "7", "base_revision": 0})
    text = text_of(page.get(f"/sessions/{session.pk}/submit/"))
    assert "3 of 4 prompts have no answer." in text
    assert "Prompt 1 " not in text
    labels = session.answers.order_by("position").values_list("prompt__label", flat=True)
    named = [f"Prompt {position} {label}" for position, label in enumerate(labels, start=1)]
    assert " ".join(named[1:]) in text


def test_submitting_leads_to_a_receipt_with_reference_and_counts(page: Client, session: Session) -> None:
    page.post(f"/sessions/{session.pk}/prompts/1/", {"text": "7", "base_revision": 0})
    reply = page.post(f"/sessions/{session.pk}/submit/", {"categories": ["Books"]}, follow=True)
    assert reply.redirect_chain == [(f"/sessions/{session.pk}/receipt/", 302)]
    text = text_of(reply)
    assert session.reference in text
    assert "You have submitted your batch." in text
    assert "1 handed in" in text
    assert "3 not opened" in text
    session.refresh_from_db()
    assert (session.status, session.resources) == ("submitted", ["Books"])


def test_submitting_twice_shows_the_receipt_and_says_so(page: Client, session: Session) -> None:
    address = f"/sessions/{session.pk}/submit/"
    page.post(address, {"nothing": "on"})
    reply = page.post(address, {"categories": ["Books"]}, follow=True)
    assert "You submitted this batch on" in text_of(reply)
    assert reply.redirect_chain == [(f"/sessions/{session.pk}/receipt/", 302)]
    session.refresh_from_db()
    assert session.resources == []
    assert SessionEvent.objects.filter(kind="submitted").count() == 1


def test_submitting_after_the_deadline_is_refused_with_the_rule_on_drafts(
    page: Client, session: Session
) -> None:
    end_ago(session, 60)
    reply = page.post(f"/sessions/{session.pk}/submit/", {"nothing": "on"}, follow=True)
    text = text_of(reply)
    assert "Your time ended on" in text
    assert "what is saved by then counts" in text
    session.refresh_from_db()
    assert session.status == "active"


@pytest.mark.parametrize("data", [{}, {"nothing": "on", "categories": ["Books"]}, {"categories": ["Stars"]}])
def test_a_submission_needs_a_declaration_that_makes_sense(
    page: Client, session: Session, data: dict[str, object]
) -> None:
    reply = page.post(f"/sessions/{session.pk}/submit/", data)
    assert reply.status_code == 422
    assert 'class="errorlist' in reply.content.decode()
    session.refresh_from_db()
    assert session.status == "active"


def test_at_the_very_end_the_batch_is_handed_in_without_the_declaration(
    page: Client, session: Session
) -> None:
    end_ago(session, 3)
    reply = page.post(f"/sessions/{session.pk}/submit/", {}, follow=True)
    assert "which resources you used" in text_of(reply)
    session.refresh_from_db()
    assert (session.status, session.resources_recorded_at) == ("submitted", None)
    page.post(f"/sessions/{session.pk}/resources/", {"note": "a friend"})
    session.refresh_from_db()
    assert session.resources_note == "a friend"


def test_declared_resources_are_shown_again_at_the_review(page: Client, session: Session) -> None:
    page.post(f"/sessions/{session.pk}/resources/", {"categories": ["Books"], "note": "an atlas"})
    content = page.get(f"/sessions/{session.pk}/submit/").content.decode()
    assert re.search(r'value="Books"[^>]* checked', content)
    assert "an atlas" in content


def test_the_review_names_the_flagged_prompts(page: Client, session: Session) -> None:
    Answer.objects.filter(position=3).update(is_flagged=True)
    content = page.get(f"/sessions/{session.pk}/submit/").content.decode()
    flagged = re.search(r'id="flagged".*?</ul>', content, re.DOTALL)
    assert flagged is not None
    assert re.findall(r"/prompts/(\d+)/", flagged[0]) == ["3"]


def test_the_list_says_in_words_which_prompts_are_flagged(page: Client, session: Session) -> None:
    Answer.objects.filter(position=2).update(is_flagged=True)
    content = page.get(f"/sessions/{session.pk}/prompts/1/").content.decode()
    hidden = re.findall(r"data-flag\s*(hidden)?\s*>", content)
    assert hidden == ["hidden", "", "hidden", "hidden"]


@pytest.mark.parametrize(
    ("rule", "counted"),
    [("saved_counts", "1 answer counts."), ("submitted_only", "No answer of this session counts.")],
)
def test_the_receipt_says_what_counted_before_the_sweep_came_by(
    page: Client, session: Session, rule: str, counted: str
) -> None:
    page.post(f"/sessions/{session.pk}/prompts/1/", {"text": "7", "base_revision": 0})
    end_ago(session, 60)
    Session.objects.update(overdue_rule=rule)
    reply = page.get(f"/sessions/{session.pk}/receipt/")
    assert counted in text_of(reply)
    assert "1 saved when the time ended" in text_of(reply)
    session.refresh_from_db()
    assert session.status == "active"


def test_the_receipt_says_what_happens_next_and_about_payment_and_whom_to_ask(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    texts = {"next_steps": "We **grade**.", "payment_note": "Paid in a week.", "contact": "Ask Jo."}
    session = session_start(participant=make_person(make_study(slug="told", **texts)), now=timezone.now())
    client = Client()
    client.force_login(session.participant.user)
    client.post(f"/sessions/{session.pk}/submit/", {"nothing": "on"})
    content = client.get(f"/sessions/{session.pk}/receipt/").content.decode()
    receipt = content[content.index('<section id="receipt">') :]
    assert "We <strong>grade</strong>." in receipt
    assert "Paid in a week." in receipt
    assert "Ask Jo." in receipt
    assert 'href="/studies/told/withdraw/"' in receipt


def test_a_note_and_a_confidence_are_asked_only_where_the_study_wants_them(
    page: Client, session: Session
) -> None:
    address = f"/sessions/{session.pk}/prompts/1/"
    assert not re.search(r'name="(note|confidence)"', page.get(address).content.decode())
    Session.objects.update(asks_note=True, asks_confidence=True)
    assert set(re.findall(r'name="(note|confidence)"', page.get(address).content.decode())) == {
        "note",
        "confidence",
    }


def test_pages_of_an_ended_session_lead_to_the_receipt(page: Client, session: Session) -> None:
    end_ago(session, 1)
    for rest in ("", "prompts/1/", "submit/"):
        reply = page.get(f"/sessions/{session.pk}/{rest}")
        assert reply["Location"] == f"/sessions/{session.pk}/receipt/"
    session.refresh_from_db()
    assert session.status == "active"
    assert not Answer.objects.exclude(first_seen_at=None).exists()


def test_a_running_session_has_no_receipt_yet(page: Client, session: Session) -> None:
    assert page.get(f"/sessions/{session.pk}/receipt/")["Location"] == f"/sessions/{session.pk}/"


# --- withdrawal ---------------------------------------------------------------------------------------


def test_withdrawing_needs_one_confirmation_and_ends_the_session(page: Client, session: Session) -> None:
    assert page.post("/studies/pilot/withdraw/", {"reason": "x"}).status_code == 422
    reply = page.post("/studies/pilot/withdraw/", {"confirm": "on"}, follow=True)
    assert "You have withdrawn from The study pilot" in text_of(reply)
    session.refresh_from_db()
    assert session.status == "withdrawn"
    again = page.post("/studies/pilot/withdraw/", {"confirm": "on"}, follow=True)
    assert "You have withdrawn from this study already" in text_of(again)


def test_a_withdrawn_person_cannot_go_on(page: Client, participant: Participant, session: Session) -> None:
    session_withdraw(participant=participant, now=timezone.now())
    assert page.get(f"/sessions/{session.pk}/prompts/1/").status_code == 302
    reply = page.post("/studies/pilot/start/", follow=True)
    assert "You have withdrawn from this study, so there is nothing to start." in text_of(reply)
