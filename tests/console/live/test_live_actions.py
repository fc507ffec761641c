"""What the team does from the board: for one, a set or all, with a reason, told whom it reached."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import Session, SessionEvent, SessionEventKind
from batches.rules.statuses import SessionStatus
from batches.selectors.answers import answers_to_score
from batches.services.ending import SessionOver, session_submit, session_withdraw
from batches.services.starting import RecruitingPaused, session_start
from console.services.live import Order, Reached, SessionAction, sessions_change
from screening.selectors.flow import study_flow
from studies.models import Message, Participant, Study, StudyEvent, User
from studies.selectors.invitations import token_sha256
from studies.services.events import has_withdrawn
from studies.services.people.invitations import (
    InvitationPaused,
    invitation_accept,
    invitation_create,
    token_new,
)
from tests.support.same_moment import at_the_same_moment

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/live/live/"


def act(client: Client, action: str, *sessions: Session, text: str = "A power cut", **fields: object) -> str:
    data = {"session": [str(session.pk) for session in sessions], "text": text, "seen_at": timezone.now()}
    reply = client.post(f"{PAGE}{action}/", {**data, **fields}, follow=True)
    return " ".join(reply.text.split())


def deadlines(*sessions: Session) -> list[datetime]:
    return [Session.objects.get(pk=session.pk).deadline_at for session in sessions]


def test_extra_time_reaches_the_chosen_and_says_so(
    staff: Client, lead: User, answering: Callable[..., Session]
) -> None:
    one, two, other = answering(), answering(), answering()
    before = deadlines(one, two, other)
    page = act(staff, "extend", one, two, minutes=20)
    later = timedelta(minutes=20)
    assert deadlines(one, two, other) == [before[0] + later, before[1] + later, before[2]]
    assert f"done for 2 people, {', '.join(codes(one, two))}." in page
    event = StudyEvent.objects.get(kind="sessions_changed")
    assert (event.actor, event.details["reason"], event.details["not_reached"]) == (lead, "A power cut", [])
    assert sorted(event.details["people"]) == sorted(codes(one, two))
    given = SessionEvent.objects.filter(kind=SessionEventKind.EXTENDED)
    assert {(e.actor, e.details["reason"]) for e in given} == {(lead, "A power cut")}


def codes(*sessions: Session) -> list[str]:
    return [one.participant.code for one in sorted(sessions, key=lambda session: session.pk)]


def test_all_of_the_list_is_who_is_in_it_at_that_moment(
    staff: Client, answering: Callable[..., Session]
) -> None:
    sessions, ended = [answering() for _ in range(3)], answering()
    session_submit(session=ended, resources=None, now=timezone.now())
    before = deadlines(*sessions, ended)
    assert "This reaches 3 people" in " ".join(staff.get(f"{PAGE}extend/?all=answering").text.split())
    act(staff, "extend", minutes=5, all="answering")
    assert deadlines(*sessions, ended) == [*(at + timedelta(minutes=5) for at in before[:3]), before[3]]


def test_a_second_click_and_a_second_lead_extend_nothing_twice(
    staff: Client, answering: Callable[..., Session]
) -> None:
    session = answering()
    seen, before = timezone.now(), deadlines(session)[0]
    act(staff, "extend", session, minutes=10, seen_at=seen)
    page = act(staff, "extend", session, minutes=10, seen_at=seen)
    assert deadlines(session) == [before + timedelta(minutes=10)]
    assert "The time was changed since this page was shown" in page
    assert "You had written: “A power cut”" in page


def test_time_given_from_a_page_that_a_browser_made_anew_is_not_given_again(
    staff: Client, answering: Callable[..., Session]
) -> None:
    session = answering()
    before = deadlines(session)[0]
    act(staff, "extend", session, minutes=10)
    page = act(staff, "extend", session, minutes=10)
    assert "You gave these minutes for this reason less than a minute ago" in page
    assert deadlines(session) == [before + timedelta(minutes=10)]
    act(staff, "extend", session, minutes=10, text="The power is still off")
    SessionEvent.objects.update(happened_at=timezone.now() - timedelta(minutes=2))
    act(staff, "extend", session, minutes=10)
    assert deadlines(session) == [before + timedelta(minutes=30)]


@pytest.mark.parametrize(
    ("action", "fields", "sentence"),
    [
        ("extend", {"minutes": "x"}, "Enter a whole number"),
        ("extend", {"minutes": 0}, "Write 1 or more"),
        ("extend", {"minutes": 5, "text": " "}, "Write a reason"),
        ("extend", {"minutes": 5, "seen_at": "x"}, "Enter a valid date/time"),
        ("void", {"text": "\x00"}, "NUL character"),
        ("message", {"text": ""}, "Nothing is written yet"),
    ],
)
def test_bad_input_gets_a_sentence_and_keeps_what_was_typed(
    staff: Client, answering: Callable[..., Session], action: str, fields: dict[str, object], sentence: str
) -> None:
    session = answering()
    before = Session.objects.values().get()
    data = {"session": str(session.pk), "text": "Kept words", "seen_at": timezone.now(), **fields}
    reply = staff.post(f"{PAGE}{action}/", data)
    assert reply.status_code == 422
    assert sentence in reply.text
    assert session.participant.code in reply.text
    assert ("Kept words" in reply.text) == ("text" not in fields)
    assert Session.objects.values().get() == before
    assert not StudyEvent.objects.filter(kind="sessions_changed").exists()


def test_nobody_chosen_does_nothing(staff: Client, study: Study) -> None:
    assert "Nobody was chosen" in staff.get(f"{PAGE}extend/").text
    assert "Nobody was chosen" in act(staff, "extend", minutes=5)
    assert staff.get(f"{PAGE}extend/?session=x").status_code == 404
    assert staff.get(f"{PAGE}destroy/").status_code == 404


def test_sessions_of_another_study_are_out_of_reach(
    staff: Client, study: Study, make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    other = session_start(participant=make_person(make_study()), now=timezone.now())
    assert "Nobody was chosen" in act(staff, "void", other)
    assert Session.objects.get().status == SessionStatus.ACTIVE


def test_a_message_reaches_each_of_the_chosen(staff: Client, answering: Callable[..., Session]) -> None:
    one, two, _other = answering(), answering(), answering()
    act(staff, "message", one, two, text="The server restarts at noon.")
    written = Message.objects.filter(is_from_team=True, text="The server restarts at noon.")
    assert set(written.values_list("participant", flat=True)) == {one.participant_id, two.participant_id}
    assert "noon" not in str(StudyEvent.objects.get(kind="sessions_changed").details)


def test_reopening_gives_back_the_time_that_was_left_and_refuses_the_others(
    staff: Client, answering: Callable[..., Session]
) -> None:
    early, running = answering(), answering()
    session_submit(session=early, resources=None, now=timezone.now())
    page = act(staff, "reopen", early, running)
    early.refresh_from_db()
    assert early.is_running(timezone.now())
    assert f"Not done for {running.participant.code}: Only a question set that was handed in" in page
    assert "You had written" not in page  # it did reach somebody


def test_a_void_session_counts_nowhere_and_its_person_has_not_withdrawn(
    staff: Client, client: Client, study: Study, answering: Callable[..., Session]
) -> None:
    session = answering()
    session_submit(session=session, resources=None, now=timezone.now())
    assert answers_to_score(study).exists()
    act(staff, "void", session, text="Two people answered")
    session.refresh_from_db()
    assert (session.status, session.voided_at is not None) == (SessionStatus.WITHDRAWN, True)
    assert not answers_to_score(study).exists()
    assert study_flow(study).retained == 0
    assert not has_withdrawn(session.participant)
    assert "has been voided" in act(staff, "extend", session, minutes=5)
    assert "voided before" in act(staff, "void", session)
    client.force_login(session.participant.user)
    receipt = client.get(f"/sessions/{session.pk}/receipt/").text
    assert "The study team has ended this session" in receipt
    assert "You have withdrawn" not in receipt
    assert session.answers.get(position=1).text == "Text 1"


def test_who_withdrew_is_left_alone(staff: Client, answering: Callable[..., Session]) -> None:
    gone = answering()
    session_withdraw(participant=gone.participant, now=timezone.now())
    assert "has withdrawn" in act(staff, "void", gone)
    assert Session.objects.get().voided_at is None


def test_paused_recruiting_lets_nobody_in_and_running_sessions_go_on(
    staff: Client, study: Study, answering: Callable[..., Session], make_person: Callable[..., Participant]
) -> None:
    running, ready = answering(), make_person(study)
    assert staff.post(f"{PAGE}recruiting/", {"text": ""}).status_code == 422
    staff.post(f"{PAGE}recruiting/", {"text": "The judge is down"})
    study.refresh_from_db()
    ready = Participant.objects.select_related("study").get(pk=ready.pk)
    with pytest.raises(RecruitingPaused):
        session_start(participant=ready, now=timezone.now())
    running.refresh_from_db()
    assert running.is_running(timezone.now())
    assert "Recruiting is paused" in staff.get(PAGE).text
    staff.post(f"{PAGE}recruiting/", {"text": "It is back"})
    ready = Participant.objects.select_related("study").get(pk=ready.pk)
    assert session_start(participant=ready, now=timezone.now())
    kinds = StudyEvent.objects.filter(kind__startswith="recruiting").order_by("pk")
    assert [event.details["reason"] for event in kinds] == ["The judge is down", "It is back"]


@pytest.mark.django_db(transaction=True)
def test_a_lead_who_extends_while_the_person_submits_loses_nothing(
    study: Study, lead: User, answering: Callable[..., Session]
) -> None:
    session = answering()
    now = timezone.now()
    order = Order(action=SessionAction.EXTEND, text="Cut", actor=lead, seen_at=now, minutes=30)
    extend = partial(
        sessions_change, study=study, sessions=Session.objects.filter(pk=session.pk), order=order, now=now
    )

    def submit() -> Reached | str:
        try:
            session_submit(session=session, resources=None, now=now)
        except SessionOver as refusal:
            return str(refusal)
        return "handed in"

    jobs: list[Callable[[], Reached | str]] = [extend, submit]
    extended, submitted = at_the_same_moment(jobs)
    after = Session.objects.get(pk=session.pk)
    assert submitted == "handed in"
    assert after.status == SessionStatus.SUBMITTED
    assert isinstance(extended, Reached)
    if extended.reached:
        assert after.deadline_at == session.deadline_at + timedelta(minutes=30)
    else:
        assert "handed in early" in extended.refused[0][1]
        assert after.deadline_at == session.deadline_at
    assert after.answers.get(position=1).text == "Text 1"


@pytest.mark.django_db(transaction=True)
def test_two_leads_at_once_extend_once(study: Study, lead: User, answering: Callable[..., Session]) -> None:
    sessions = [answering() for _ in range(3)]
    now = timezone.now()
    order = Order(action=SessionAction.EXTEND, text="Cut", actor=lead, seen_at=now, minutes=30)

    def extend() -> Reached:
        return sessions_change(
            study=study, sessions=Session.objects.filter(participant__study=study), order=order,
            now=now + timedelta(seconds=1),
        )  # fmt: skip

    outcomes = at_the_same_moment([extend, extend])
    assert sorted(len(outcome.reached) for outcome in outcomes) == [0, 3]
    assert sorted(len(outcome.refused) for outcome in outcomes) == [0, 3]
    for session in sessions:
        assert deadlines(session) == [session.deadline_at + timedelta(minutes=30)]


def test_an_invitation_waits_while_recruiting_is_paused(staff: Client, study: Study, client: Client) -> None:
    now = timezone.now()
    staff.post(f"{PAGE}recruiting/", {"text": "Later"})
    token = token_new()
    invitation = invitation_create(study=study, email="new@example.org", profile="stem-phd", now=now)
    type(invitation).objects.filter(pk=invitation.pk).update(token_sha256=token_sha256(token))
    with pytest.raises(InvitationPaused):
        invitation_accept(token=token, now=now)
    assert Client().get(f"/invitations/{token}/").status_code >= 400
