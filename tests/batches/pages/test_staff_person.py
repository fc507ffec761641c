"""The study team's page of one person."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from batches.models import Session, SessionEvent
from batches.services.ending import session_submit
from batches.services.starting import session_start
from studies.models import Participant, ProfileForm, Study, User
from studies.protocol.settings import PROFILE_QUESTIONS
from studies.roles import Role
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
SECRET = "An answer nobody of the team reads here"


@pytest.fixture
def person(make_study: Callable[..., Study], make_person: Callable[..., Participant]) -> Participant:
    return make_person(make_study(slug="time", late_tolerance_seconds=10))


def address(person: Participant, name: str = "staff_person") -> str:
    return reverse(name, args=[person.study.slug, person.code])


def rows() -> dict[str, list[dict[str, object]]]:
    """Every row of the three apps."""
    labels = ("studies", "batches", "scoring")
    models = [model for label in labels for model in apps.get_app_config(label).get_models()]
    return {str(model): list(model._default_manager.order_by("pk").values()) for model in models}


def test_the_page_shows_facts_and_the_trail_but_no_answer_and_no_prompt(
    staff: Client, person: Participant, work: Callable[..., Session]
) -> None:
    session = work(person, {"p001": SECRET, "p002": ""})
    page = staff.get(address(person)).content.decode()
    assert all(text in page for text in (person.code, person.user.email, session.reference, "1 handed in"))
    assert all(
        text in page for text in ("1 opened, empty", "2 not opened", "started the session", "submitted")
    )
    assert SECRET not in page
    assert "Question 1?" not in page


def test_the_trail_is_of_this_person_alone(
    staff: Client, person: Participant, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> None:
    work(make_person(person.study), {"p001": "text"})
    page = staff.get(address(person)).content.decode()
    assert "added to the study" in page
    assert "started the session" not in page


def test_the_page_shows_what_the_person_said_about_themselves(
    staff: Client, person: Participant, now: datetime
) -> None:
    question = PROFILE_QUESTIONS[-1]
    ProfileForm.objects.create(participant=person, answers={question: "BSc Maths"}, submitted_at=now)
    page = staff.get(address(person)).content.decode()
    assert "BSc Maths" in page


@pytest.mark.parametrize("end", ["active", "submitted", "expired", "withdrawn"])
def test_looking_changes_nothing(
    staff: Client, person: Participant, work: Callable[..., Session], end: str
) -> None:
    work(person, {"p001": "text"}, end=end)
    before = rows()
    assert staff.get(address(person)).status_code == 200
    assert rows() == before


def test_a_session_past_its_deadline_is_over_before_the_sweep(
    staff: Client, person: Participant, work: Callable[..., Session], now: datetime
) -> None:
    session = work(person, {}, end="active")
    Session.objects.update(started_at=now.replace(year=2020), deadline_at=now.replace(year=2021))
    assert "ended at the deadline without a submission" in staff.get(address(person)).content.decode()
    session.refresh_from_db()
    assert session.status == "active"


def test_only_staff_see_the_page(client: Client, person: Participant) -> None:
    assert client.get(address(person)).status_code == 302
    client.force_login(person.user)
    assert client.get(address(person)).status_code == 404


def test_a_person_of_another_study_is_not_found(
    staff: Client, person: Participant, make_study: Callable[..., Study]
) -> None:
    other = make_study(slug="other")
    assert staff.get(reverse("staff_person", args=[other.slug, person.code])).status_code == 404


def action(person: Participant, name: str) -> str:
    return reverse("staff_person_action", args=[person.study.slug, person.code, name])


def sent(name: str, **values: object) -> dict[str, object]:
    return {f"{name}-{field}": value for field, value in values.items()}


def test_extra_time_is_given_before_the_start(staff: Client, person: Participant) -> None:
    page = staff.get(address(person)).content.decode()
    assert "as it is they get 5 hours." in page
    assert "Extend the time" not in page
    form = sent("extra-time", minutes=45, reason="Dyslexia")
    page = staff.post(action(person, "extra-time"), form, follow=True).content.decode()
    assert "gets 45 extra minutes at the start" in page
    assert "as it is they get 5 hours 45 minutes." in page
    assert "Dyslexia" in page
    person.refresh_from_db()
    assert person.extra_minutes == 45


def test_a_running_session_is_extended_once_by_two_clicks(staff: Client, person: Participant) -> None:
    session = session_start(participant=person, now=timezone.now())
    form = sent("extend", minutes=20, reason="A power cut", deadline_seen=session.deadline_at.isoformat())
    assert staff.post(action(person, "extend"), form).status_code == 302
    again = staff.post(action(person, "extend"), form)
    assert again.status_code == 422
    page = again.content.decode()
    assert "The deadline has changed since this page was shown" in page
    assert "A power cut" in page
    session.refresh_from_db()
    assert session.extended_seconds == 20 * 60
    # What the refused page offers to send next is about the deadline as it is now.
    assert f'value="{session.deadline_at.isoformat()}"' in page


def test_a_batch_handed_in_early_is_reopened(staff: Client, person: Participant) -> None:
    now = timezone.now()
    session = session_start(participant=person, now=now)
    session_submit(session=session, resources=None, now=now + timedelta(hours=1))
    page = staff.get(address(person)).content.decode()
    assert "with the 4 hours that were left" in page
    assert staff.post(action(person, "reopen"), sent("reopen", reason="By mistake")).status_code == 302
    assert staff.post(action(person, "reopen"), sent("reopen", reason="By mistake")).status_code == 422
    assert SessionEvent.objects.get(kind="reopened").actor.email == "lead@example.org"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"minutes": "20"}, "Write a reason; it is kept in the history."),
        ({"reason": "A power cut"}, "Write how many minutes."),
        ({"minutes": "-3", "reason": "A power cut"}, "Write 1 or more"),
        ({"minutes": "99999", "reason": "A power cut"}, "10,080"),
    ],
)
def test_bad_input_is_named_and_what_was_written_stays(
    staff: Client, person: Participant, values: dict[str, str], sentence: str
) -> None:
    session = session_start(participant=person, now=timezone.now())
    form = sent("extend", deadline_seen=session.deadline_at.isoformat(), **values)
    reply = staff.post(action(person, "extend"), form)
    page = reply.content.decode()
    assert reply.status_code == 422
    assert sentence in page
    assert all(value in page for value in values.values())
    session.refresh_from_db()
    assert session.extended_seconds == 0


def test_nothing_is_offered_for_a_person_who_withdrew(
    staff: Client, person: Participant, work: Callable[..., Session]
) -> None:
    work(person, {}, end="withdrawn")
    assert "What you can do" not in staff.get(address(person)).content.decode()
    reply = staff.post(action(person, "extend"), sent("extend", minutes=5, reason="Please"))
    assert reply.status_code == 422


def test_a_form_for_a_session_that_is_not_there_says_so(staff: Client, person: Participant) -> None:
    reply = staff.post(action(person, "reopen"), sent("reopen", reason="Please"))
    assert "This person has not started" in reply.content.decode()


def test_only_staff_may_change_a_time(client: Client, person: Participant) -> None:
    form = sent("extra-time", minutes=45, reason="Dyslexia")
    client.post(action(person, "extra-time"), form)
    client.force_login(person.user)
    assert client.post(action(person, "extra-time"), form).status_code == 404
    person.refresh_from_db()
    assert person.extra_minutes == 0


def test_an_action_that_does_not_exist_is_not_found(staff: Client, person: Participant) -> None:
    assert staff.post(action(person, "delete")).status_code == 404


def test_the_team_withdraws_a_person_who_asked_for_it(
    staff: Client, person: Participant, work: Callable[..., Session], lead: User
) -> None:
    session = work(person, {"p001": "text"})
    form = address(person, "staff_person") + "withdraw/"
    assert staff.post(form, {"withdraw-reason": " "}).status_code == 422
    session.refresh_from_db()
    assert session.status == "submitted"
    page = staff.post(form, {"withdraw-reason": "Asked by mail"}, follow=True).text
    session.refresh_from_db()
    assert session.status == "withdrawn"
    assert f"{person.code} is withdrawn from the study. They are told by mail." in page
    assert "Data erased" in page
    assert re.findall(r'<span class="badge[^>]*>([^<]*)', page) == ["Withdrawn", "Approved"]
    event = person.events.get(kind="participant_withdrew")
    assert (event.actor, event.details["reason"]) == (lead, "Asked by mail")
    again = staff.post(form, {"withdraw-reason": "Once more"})
    assert (again.status_code, f"{person.code} withdrew already" in again.text) == (422, True)


def test_the_head_says_what_the_person_is_now_and_whoever_may_decides_from_there(
    staff: Client, person: Participant
) -> None:
    Participant.objects.filter(pk=person.pk).update(vetting_status="submitted")
    page = staff.get(address(person, "staff_person")).text
    assert ("Waiting for a decision" in page, ">Decide</a>" in page) == (True, True)
    form = address(person, "staff_person") + "withdraw/"
    page = staff.post(form, {"withdraw-reason": "Asked by mail"}, follow=True).text
    assert ("Waiting for a decision" in page, ">Decide</a>" in page, "Withdrawn" in page) == (
        False,
        False,
        True,
    )


def test_the_page_of_somebody_who_worked_takes_at_most_fifteen_queries_of_a_lead(
    person: Participant,
    work: Callable[..., Session],
    client: Client,
    now: datetime,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    work(person, {"p001": "text"})
    user, _ = staff_add(email="member@example.org")
    role_give(study=person.study, user=user, role=Role.LEAD, now=now)
    client.force_login(user)
    client.get(address(person))  # the clock is asked once a minute, by whichever request
    with django_assert_max_num_queries(15):
        client.get(address(person))
