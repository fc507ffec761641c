"""The pages of a participant: study home, start, overview, prompt, submit, receipt, withdrawal."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from batches.models import Answer, Revision, Session, SessionEvent
from batches.services.ending import session_withdraw
from batches.services.starting import session_start
from studies.models import Participant, Study, StudyStatus
from studies.services.amendments import study_amend
from studies.services.participants import participant_add, participant_reject

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


# --- study home ---------------------------------------------------------------------------------------


def test_the_study_home_shows_the_way_to_the_start_and_starts_nothing(page: Client) -> None:
    reply = page.get("/studies/pilot/")
    assert reply.status_code == 200
    assert 'href="/studies/pilot/start/"' in reply.content.decode()
    assert not Session.objects.exists()


def test_a_study_of_others_does_not_exist_for_a_person(page: Client, make_study: MakeStudy) -> None:
    make_study(slug="other")
    for address in ("/studies/other/", "/studies/other/start/", "/studies/none/", "/studies/other/withdraw/"):
        assert page.get(address).status_code == 404


def test_without_signing_in_every_page_leads_to_the_sign_in(session: Session) -> None:
    for address in (
        "/studies/pilot/",
        "/studies/pilot/start/",
        "/studies/pilot/withdraw/",
        *(
            f"/sessions/{session.pk}/{rest}"
            for rest in ("", "prompts/1/", "resources/", "submit/", "receipt/")
        ),
    ):
        reply = Client().get(address)
        assert (reply.status_code, reply["Location"]) == (302, f"/accounts/login/?next={address}")


def test_the_study_home_says_that_a_decision_is_open(make_study: MakeStudy, now: datetime) -> None:
    participant = participant_add(
        study=make_study(slug="new"), email="new@example.org", profile="stem-phd", now=now
    )
    client = Client()
    client.force_login(participant.user)
    assert "waits for the study team's decision" in text_of(client.get("/studies/new/")).replace(
        "&#x27;", "'"
    )


def test_the_study_home_says_why_a_person_was_rejected(
    page: Client, participant: Participant, now: datetime
) -> None:
    participant_reject(participant=participant, reason="The degree does not fit.", now=now)
    assert "The degree does not fit." in text_of(page.get("/studies/pilot/"))


def test_the_study_home_asks_for_consent_where_it_is_missing(
    page: Client, participant: Participant, now: datetime
) -> None:
    changes: dict[str, object] = {"consent_text": "Another text."}
    study_amend(study=participant.study, changes=changes, reason="Ethics board", now=now)
    assert 'href="/studies/pilot/consent/"' in page.get("/studies/pilot/").content.decode()


def test_the_study_home_leads_back_into_the_running_session(page: Client, session: Session) -> None:
    reply = page.get("/studies/pilot/")
    assert f'href="/sessions/{session.pk}/"' in reply.content.decode()
    assert "You have 4 hours 59 minutes left" in text_of(reply)


def test_the_study_home_leads_to_the_receipt_after_the_end(page: Client, session: Session) -> None:
    end_ago(session, 60)
    reply = page.get("/studies/pilot/")
    assert f'href="/sessions/{session.pk}/receipt/"' in reply.content.decode()
    assert "Your time has ended" in text_of(reply)


# --- start --------------------------------------------------------------------------------------------


def test_the_start_page_says_how_long_what_is_allowed_and_what_happens_at_the_end(page: Client) -> None:
    text = text_of(page.get("/studies/pilot/start/"))
    assert "5 hours" in text
    assert "any other language model, web search, books" in text
    assert "When the time ends, what is saved by then counts as your answers" in text
    assert not Session.objects.exists()


def test_the_start_page_warns_where_the_study_closes_earlier(
    make_study: MakeStudy, make_person: MakePerson
) -> None:
    # Without a fraction: the page and the database then show the same second.
    closes_at = timezone.now().replace(microsecond=0) + timedelta(hours=1)
    study = make_study(slug="short")
    Study.objects.filter(pk=study.pk).update(closes_at=closes_at)
    client = Client()
    client.force_login(make_person(study).user)
    text = text_of(client.get("/studies/short/start/"))
    assert "so you would have less time" in text
    assert f"{closes_at:%H:%M} UTC" in text


def test_pressing_start_twice_starts_once_and_leads_to_the_running_session(page: Client) -> None:
    first, second = page.post("/studies/pilot/start/"), page.post("/studies/pilot/start/")
    session = Session.objects.get()
    assert first["Location"] == second["Location"] == f"/sessions/{session.pk}/"
    assert page.get("/studies/pilot/start/")["Location"] == f"/sessions/{session.pk}/"
    assert SessionEvent.objects.filter(kind="started").count() == 1


def test_a_start_that_is_refused_says_why_on_the_study_home(page: Client, participant: Participant) -> None:
    Study.objects.update(status=StudyStatus.CLOSED)
    reply = page.post("/studies/pilot/start/", follow=True)
    assert "The study is closed; nobody can start any more." in text_of(reply)
    assert not Session.objects.exists()


# --- overview and prompts -----------------------------------------------------------------------------


def test_the_overview_lists_every_prompt_with_its_state_in_words(page: Client, session: Session) -> None:
    page.get(f"/sessions/{session.pk}/prompts/2/")
    page.post(f"/sessions/{session.pk}/prompts/3/", {"text": "7", "base_revision": 0})
    text = text_of(page.get(f"/sessions/{session.pk}/"))
    assert "Prompt 1 not opened" in text
    assert "Prompt 2 opened, empty" in text
    assert "Prompt 3 saved" in text
    assert "Prompt 4 not opened" in text


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
    assert counts == [6, 6]


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
    assert "Prompt 2 Prompt 3 Prompt 4" in text


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
    assert "You have withdrawn from this study." in text_of(reply)
    session.refresh_from_db()
    assert session.status == "withdrawn"
    again = page.post("/studies/pilot/withdraw/", {"confirm": "on"}, follow=True)
    assert "You have withdrawn from this study already" in text_of(again)


def test_a_withdrawn_person_cannot_go_on(page: Client, participant: Participant, session: Session) -> None:
    session_withdraw(participant=participant, now=timezone.now())
    assert page.get(f"/sessions/{session.pk}/prompts/1/").status_code == 302
    reply = page.post("/studies/pilot/start/", follow=True)
    assert "You have withdrawn from this study, so there is nothing to start." in text_of(reply)
