"""The live board: what it shows, that looking changes nothing, and how it renews itself."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from batches.models import Answer, Batch, Session, SessionEvent, SessionEventKind
from batches.services.ending import session_submit, session_withdraw
from batches.services.extending import session_extend
from studies.models import Participant, Study, User
from studies.roles import Role
from studies.services.people.messages import message_send
from studies.services.staff.roles import role_give
from tests.console.live.conftest import save

pytestmark = pytest.mark.django_db
PAGE = "/staff/studies/live/live/"
STATE = f"{PAGE}state/"
# The one who asks (session, person, study), and what is asked for.
GUARD, BOARD = 3, 3


def words(client: Client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def rows() -> dict[str, list[dict[str, object]]]:
    """Every row of the apps that a study is in."""
    labels = ("studies", "batches", "screening", "judging", "scoring")
    models = [model for label in labels for model in apps.get_app_config(label).get_models()]
    return {str(model): list(model._default_manager.order_by("pk").values()) for model in models}


def test_a_reason_for_what_was_done_to_a_person_is_for_who_knows_them(
    staff: Client, study: Study, lead: User, answering: Callable[..., Session]
) -> None:
    session = answering()
    session_extend(
        session=session, minutes=5, reason="Mr. Somebody called", now=timezone.now(), actor=lead,
        deadline_seen=session.deadline_at,
    )  # fmt: skip
    user = User.objects.create_user("analyst@example.org", is_staff=True)
    role_give(study=study, user=user, role=Role.ANALYST, now=timezone.now())
    analyst = Client()
    analyst.force_login(user)
    for page in (PAGE, STATE):
        assert "Mr. Somebody called" in words(staff, f"{page}?session={session.pk}")
        told = words(analyst, f"{page}?session={session.pk}")
        assert "Mr. Somebody" not in told
        assert session.participant.user.email not in told


def many(study: Study, number: int) -> None:
    """Sessions in bulk, each with two answers."""
    now = timezone.now()
    users = User.objects.bulk_create([User(email=f"m{n}@example.org") for n in range(number)])
    people = Participant.objects.bulk_create(
        Participant(study=study, user=user, code=f"P-{n:05d}", profile="stem-phd", submitted_at=now)
        for n, user in enumerate(users)
    )
    batches = list(Batch.objects.filter(plan__study=study).prefetch_related("prompts"))
    sessions = Session.objects.bulk_create(
        Session(
            participant=person,
            batch=batches[n % len(batches)],
            started_at=now - timedelta(minutes=n % 200 + 1),
            deadline_at=now + timedelta(minutes=n % 90 + 10),
            overdue_rule="saved_counts",
            late_tolerance_seconds=10,
            answer_max_characters=1000,
        )
        for n, person in enumerate(people)
    )
    Answer.objects.bulk_create(
        Answer(session=session, prompt=prompt, position=place, has_text=place == 1, saved_at=now)
        for session in sessions
        for place, prompt in enumerate(session.batch.prompts.all(), start=1)
    )


def test_the_board_shows_who_answers_how_far_and_no_text(
    staff: Client, answering: Callable[..., Session]
) -> None:
    session = answering(saved=1)
    test = answering(is_test=True)
    page = words(staff)
    assert 'Answering now</span> <span class="value">1</span>' in page
    assert "1 test besides" in page
    assert "Answering 2</a>" in page
    assert session.participant.code in page
    assert test.participant.code in page
    assert "STEM PhD: 0 of 4 places filled, 1 answering" in page
    assert "Text 1" not in page
    assert "Question 1?" not in page
    assert session.participant.user.email not in page


def test_texts_refused_for_a_second_device_and_long_silence_are_incidents(
    staff: Client, answering: Callable[..., Session]
) -> None:
    two = answering()
    save(two, 1, "Other", tab="two")
    silent, well = answering(minutes=45, saved=0), answering()
    page = words(staff, f"{PAGE}?tab=incidents")
    assert "Incidents 2</a>" in page
    assert "Two devices" in page
    assert "No save" in page
    assert two.participant.code in page
    assert silent.participant.code in page
    assert well.participant.code not in page


def test_looking_changes_nothing(staff: Client, answering: Callable[..., Session]) -> None:
    running, ended, gone = answering(), answering(), answering()
    session_submit(session=ended, resources=None, now=timezone.now())
    session_withdraw(participant=gone.participant, now=timezone.now())
    overdue = answering(minutes=330, saved=0)
    before = rows()
    for tab in ("answering", "incidents", "finished", "nonsense"):
        for session in (running, ended, gone, overdue):
            query = f"?tab={tab}&session={session.pk}"
            assert staff.get(PAGE + query).status_code == 200
            assert staff.get(STATE + query).status_code == 200
            assert staff.head(f"{PAGE}table.csv{query}").status_code == 200
    assert staff.get(f"{PAGE}extend/?session={running.pk}").status_code == 200
    assert staff.get(f"{PAGE}recruiting/").status_code == 200
    assert rows() == before


def test_the_state_is_told_in_three_queries_and_not_again_while_nothing_changes(
    staff: Client, study: Study, lead: User, django_assert_num_queries: Callable[[int], Any]
) -> None:
    many(study, 300)
    with django_assert_num_queries(GUARD + BOARD):
        first = staff.get(STATE)
    assert len(first.json()["parts"]["live-rows"].split("<tr")) == 51
    assert "Answering 300" in first.json()["parts"]["live-tabs"]
    with django_assert_num_queries(GUARD + BOARD - 1):
        again = staff.get(STATE, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    session = Session.objects.earliest("deadline_at")
    with django_assert_num_queries(GUARD + BOARD):
        opened = staff.get(f"{STATE}?session={session.pk}")
    assert "Time left" in opened.json()["parts"]["live-facts"]
    save(session, 2, "New")
    changed = staff.get(STATE, headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_the_page_costs_the_same_for_one_session_and_for_hundreds(
    staff: Client, study: Study, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    many(study, 300)
    with django_assert_max_num_queries(10):
        page = words(staff, f"{PAGE}?page=6")
    assert "Page 6 of 6" in page
    Session.objects.update(status="submitted", ended_at=timezone.now())
    with django_assert_max_num_queries(10):
        page = words(staff, f"{PAGE}?tab=finished&page=2")
    assert "Finished 300" in page


def test_one_session_is_shown_with_what_happened_in_it(
    staff: Client, answering: Callable[..., Session]
) -> None:
    session = answering()
    page = words(staff, f"{PAGE}?session={session.pk}")
    assert "question 1: answer saved" in page
    assert "started the session" in page
    assert "Give extra time" in page


@pytest.mark.parametrize("query", ["?session=x", "?page=-1", "?page=9", "?sort=evil&tab=evil", "?page=²"])
def test_an_address_that_asks_for_nonsense_shows_the_board(
    staff: Client, answering: Callable[..., Session], query: str
) -> None:
    answering()
    assert "Answering now" in words(staff, PAGE + query)


def test_the_rows_come_as_csv_too(staff: Client, answering: Callable[..., Session]) -> None:
    session = answering()
    table = list(csv.DictReader(io.StringIO(staff.get(f"{PAGE}table.csv").content.decode("utf-8-sig"))))
    assert [row["person"] for row in table] == [session.participant.code]
    assert table[0]["answered"] == "1"


def test_messages_that_wait_need_somebody(staff: Client, answering: Callable[..., Session]) -> None:
    message_send(participant=answering().participant, text="Help", now=timezone.now())
    assert "1 message" in words(staff)


def test_a_coordinator_looks_and_writes_but_runs_no_session(
    client: Client, study: Study, lead: User, answering: Callable[..., Session]
) -> None:
    session = answering()
    coordinator = User.objects.create_user("coordinator@example.org", is_staff=True)
    role_give(study=study, user=coordinator, role=Role.COORDINATOR, actor=lead, now=timezone.now())
    client.force_login(coordinator)
    page = words(client, f"{PAGE}?session={session.pk}")
    assert "Write a message" in page
    assert "Give extra time" not in page
    assert "Pause recruiting" not in page
    reply = client.post(f"{PAGE}void/", {"session": str(session.pk), "text": "x", "seen_at": timezone.now()})
    assert reply.status_code == 403
    assert not SessionEvent.objects.filter(kind=SessionEventKind.VOIDED).exists()
