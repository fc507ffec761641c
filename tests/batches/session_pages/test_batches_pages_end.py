"""The pages at the end of a session: review, submit, receipt, withdrawal."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Answer, Session, SessionEvent
from batches.services.ending import session_withdraw
from batches.services.starting import session_start
from studies.models import Participant, Study
from tests.batches.session_pages.session_pages import end_ago, text_of

pytestmark = pytest.mark.django_db
MakeStudy = Callable[..., Study]
MakePerson = Callable[..., Participant]


# --- end ----------------------------------------------------------------------------------------------


def test_the_review_names_the_prompts_without_an_answer(page: Client, session: Session) -> None:
    page.post(f"/sessions/{session.pk}/prompts/1/", {"text": "7", "base_revision": 0})
    text = text_of(page.get(f"/sessions/{session.pk}/submit/"))
    assert "3 of 4 questions have no answer." in text
    labels = session.answers.order_by("position").values_list("prompt__label", flat=True)
    named = [f"Question {position} {label}" for position, label in enumerate(labels, start=1)]
    assert " ".join(["have no answer.", *named[1:]]) in text


def test_submitting_leads_to_a_receipt_with_reference_and_counts(page: Client, session: Session) -> None:
    page.post(f"/sessions/{session.pk}/prompts/1/", {"text": "7", "base_revision": 0})
    address = f"/sessions/{session.pk}/submit/"
    asked = page.post(address, {"categories": ["Books"]})
    assert "3 of 4 questions have no answer. Do you want to submit all the same?" in text_of(asked)
    assert re.search(r'value="Books"[^>]* checked', asked.content.decode())
    session.refresh_from_db()
    assert session.status == "active"
    # Asked once: also where the declaration is mended afterwards.
    assert page.post(address, {"unanswered": "asked"}).status_code == 422
    reply = page.post(address, {"categories": ["Books"], "unanswered": "asked"}, follow=True)
    assert reply.redirect_chain == [(f"/sessions/{session.pk}/receipt/", 302)]
    text = text_of(reply)
    assert session.reference in text
    assert "4, 3 of them without an answer" in text
    assert "what is saved by then counts" in text
    assert "You have submitted your question set." in text
    assert "1 handed in" in text
    assert "3 not opened" in text
    session.refresh_from_db()
    assert (session.status, session.resources) == ("submitted", ["Books"])


def test_with_every_question_answered_nothing_is_asked(page: Client, session: Session) -> None:
    Answer.objects.update(text="7", has_text=True, revision=1)
    reply = page.post(f"/sessions/{session.pk}/submit/", {"nothing": "on"})
    assert reply.headers["Location"] == f"/sessions/{session.pk}/receipt/"


def test_submitting_twice_shows_the_receipt_and_says_so(page: Client, session: Session) -> None:
    address = f"/sessions/{session.pk}/submit/"
    page.post(address, {"nothing": "on", "unanswered": "asked"})
    reply = page.post(address, {"categories": ["Books"]}, follow=True)
    assert "You submitted this question set on" in text_of(reply)
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
    client.post(f"/sessions/{session.pk}/submit/", {"nothing": "on", "unanswered": "asked"})
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
