"""Files of lists have the rows of the page under its filter, in its order, for whoever sees the page."""

import csv
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from console.selectors import board
from studies.models import Audience, MailRecord, Participant, Study, StudyEvent, User
from studies.roles import Role
from studies.services.people.invitations import invitation_create, invitation_revoke
from studies.services.people.messages import announcement_make, message_answer, message_send
from studies.services.staff.roles import role_give

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", replicates_per_profile=9)


@pytest.fixture
def member(study: Study, now: datetime) -> Callable[[Role], Client]:
    def make(role: Role) -> Client:
        user = User.objects.create_user(f"{role}@example.org", is_staff=True)
        role_give(study=study, user=user, role=role, now=now)
        client = Client()
        client.force_login(user)
        return client

    return make


def rows_of(client: Client, name: str, **asked: str) -> list[dict[str, str]]:
    path = reverse(name, args=[] if name == "staff_home" else ["pilot"])
    answer = client.get(path, {**asked, "format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(StringIO(b"".join(answer).decode("utf-8-sig"))))


def status(client: Client, name: str) -> int:
    return client.get(reverse(name, args=["pilot"]), {"format": "csv"}).status_code


def test_studies_sort_and_the_file_tells_of_progress_to_those_who_see_it(
    staff: Client, study: Study, make_study: Callable[..., Study], member: Callable[[Role], Client]
) -> None:
    make_study(slug="closing", closes_at=datetime(2031, 1, 1, tzinfo=UTC))
    for sort in ("closes", "-closes"):
        shown = [card.facts.study.slug for card in staff.get("/staff/", {"sort": sort}).context["cards"]]
        assert shown == ["closing", "pilot"]  # what never closes stands last both ways
        assert [row["study"] for row in rows_of(staff, "staff_home", sort=sort)] == shown
    (found,) = rows_of(staff, "staff_home", q="pilot")
    assert (found["name"], found["state"], found["questions"], found["planned"]) == (
        "The study pilot", "frozen", "4", "27",
    )  # fmt: skip
    (seen,) = rows_of(member(Role.REVIEWER), "staff_home")
    assert (seen["study"], seen["questions"], seen["planned"], seen["counted"]) == ("pilot", "4", "", "")


def test_invitations_are_filtered_sorted_and_a_file_that_the_trail_knows_of(
    staff: Client, study: Study, member: Callable[[Role], Client], lead: User, now: datetime
) -> None:
    made = [
        invitation_create(study=study, email=email, profile="stem-phd", now=now, actor=lead)
        for email in ("b@example.org", "-a@example.org", "c@example.org")
    ]
    invitation_revoke(invitation=made[2], now=now, actor=lead)
    page = staff.get(reverse("staff_invitations", args=["pilot"]), {"state": "not_sent", "sort": "-address"})
    assert [one.email for one in page.context["page"]] == ["b@example.org", "-a@example.org"]
    file = rows_of(staff, "staff_invitations", state="revoked")
    assert [(row["address"], row["state"], row["sent_at"]) for row in file] == [
        ("c@example.org", "revoked", "")
    ]
    everybody = rows_of(staff, "staff_invitations", sort="address")
    assert [row["address"] for row in everybody] == ["'-a@example.org", "b@example.org", "c@example.org"]
    numbers = [event.details["number"] for event in StudyEvent.objects.filter(kind="people_listed")]
    assert numbers == [1, 3]
    assert status(member(Role.ANALYST), "staff_invitations") == 403


def test_conversations_are_searched_and_their_file_holds_nothing_that_was_written(
    staff: Client,
    study: Study,
    make_person: Callable[..., Participant],
    member: Callable[[Role], Client],
    lead: User,
    now: datetime,
) -> None:
    waits, told = make_person(study), make_person(study)
    for person in (waits, told):
        message_send(participant=person, text="A secret.", now=now)
    message_answer(participant=told, text="Another.", actor=lead, now=now + timedelta(seconds=1))
    page = staff.get(reverse("staff_messages", args=["pilot"]), {"show": "waiting"})
    assert [one.code for one in page.context["page"]] == [waits.code]
    assert [row["person"] for row in rows_of(staff, "staff_messages", show="waiting")] == [waits.code]
    (row,) = rows_of(staff, "staff_messages", q=told.code.lower())
    assert row == {
        "person": told.code, "waits_for_reply": "false", "messages": "2",
        "newest_at": (now + timedelta(seconds=1)).isoformat(),
    }  # fmt: skip
    none = staff.get(reverse("staff_messages", args=["pilot"]), {"q": "nobody"})
    assert "No conversation fits." in none.text
    assert status(member(Role.ANALYST), "staff_messages") == 403


def test_announcements_are_a_file(
    staff: Client, study: Study, member: Callable[[Role], Client], lead: User, now: datetime
) -> None:
    for text in ("=1+1", "Second."):
        announcement_make(
            study=study, text=text, audience=Audience.EVERYBODY, batch_number=None, prompt_label="",
            actor=lead, now=now,
        )  # fmt: skip
    rows = rows_of(staff, "staff_announcements")
    assert [(row["text"], row["made_by"]) for row in rows] == [("Second.", lead.email), ("'=1+1", lead.email)]
    assert len(staff.get(reverse("staff_announcements", args=["pilot"])).context["page"]) == 2
    assert status(member(Role.ANALYST), "staff_announcements") == 403


def test_payments_sort_by_work_and_the_file_keeps_to_the_filter(
    staff: Client, study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> None:
    to_come, late, early = (make_person(study) for _ in range(3))
    work(early, {"p001": "1"})
    work(late, {"p001": "1"}, end="expired")
    address = reverse("staff_money", args=["pilot"])
    for sort, order in (("work", [early, late, to_come]), ("-work", [late, early, to_come])):
        shown = [row.line.participant.code for row in staff.get(address, {"sort": sort}).context["rows"]]
        assert shown == [person.code for person in order]
    file = (
        staff.get(reverse("staff_payments", args=["pilot"]), {"q": late.code}).getvalue().decode("utf-8-sig")
    )
    assert [row["code"] for row in csv.DictReader(StringIO(file))] == [late.code]
    assert StudyEvent.objects.get(kind="payments_listed").details["number"] == 1


def test_the_file_of_sessions_has_all_pages_of_the_list(
    staff: Client,
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(board, "PAGE_SIZE", 2)
    people = [make_person(study) for _ in range(3)]
    for person in people:
        work(person, {"p001": "1"})
    asked = {"tab": "finished", "page": "2"}
    assert len(staff.get(reverse("staff_live", args=["pilot"]), asked).context["rows"]) == 1
    table = staff.get(reverse("staff_live_table", args=["pilot"]), asked).content.decode("utf-8-sig")
    assert {row["person"] for row in csv.DictReader(StringIO(table))} == {person.code for person in people}


def test_mails_sort_and_so_does_the_file(
    staff: Client, study: Study, make_person: Callable[..., Participant], lead: User
) -> None:
    now, person = timezone.now(), make_person(study)
    MailRecord.objects.all().delete()
    for kind, facts in (("reply", {"participant": person}), ("decision", {"member": lead})):
        MailRecord.objects.create(study=study, kind=kind, queued_at=now, **facts)
    page = staff.get(reverse("staff_mails", args=["pilot"]), {"sort": "mail"})
    assert [one.kind for one in page.context["page"]] == ["decision", "reply"]
    assert [row["kind"] for row in rows_of(staff, "staff_mails", sort="-mail")] == ["reply", "decision"]
