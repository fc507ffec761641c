"""What pages of a study list: question sets, the team, amendments; sorted by GET, and as CSV."""

import csv
from collections.abc import Callable
from datetime import datetime
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from batches.models import BatchPlan
from studies.models import Study, User
from studies.roles import Role
from studies.services.amendments import study_amend
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", prompts=12, batch_size=4)


@pytest.fixture
def member(study: Study, now: datetime) -> Callable[[str, Role], Client]:
    """Somebody with a role in the study, signed in."""

    def make(email: str, role: Role) -> Client:
        user, _ = staff_add(email=email)
        role_give(study=study, user=user, role=role, now=now)
        client = Client()
        client.force_login(user)
        client.get("/")  # the first request notes in the session when it ends
        return client

    return make


def rows_of(client: Client, address: str, **asked: str) -> list[dict[str, str]]:
    answer = client.get(address, {**asked, "format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(StringIO(b"".join(answer).decode("utf-8-sig"))))


def test_question_sets_sort_with_what_is_not_known_last_and_the_file_has_the_rows_of_the_page(
    member: Callable[[str, Role], Client], study: Study
) -> None:
    plan = BatchPlan.objects.get(study=study)
    for batch, difficulty in zip(plan.report["batches"], (None, 0.5, -1.0), strict=True):
        batch["mean_difficulty"] = difficulty
    plan.save()
    analyst = member("analyst@example.org", Role.ANALYST)
    address = reverse("staff_questions_sets", args=["pilot"])
    for sort, numbers in (("", [1, 2, 3]), ("mean_difficulty", [3, 2, 1]), ("-mean_difficulty", [2, 3, 1])):
        shown = analyst.get(address, {"sort": sort}).context["sets"]
        assert [row.number for row in shown] == numbers
        file = rows_of(analyst, address, sort=sort)
        assert [int(row["set"]) for row in file] == numbers
    assert [row["mean_difficulty"] for row in file] == ["0.5", "-1.0", ""]
    assert [row["questions"] for row in file] == ["4", "4", "4"]
    assert member("eyes@example.org", Role.REVIEWER).get(address, {"format": "csv"}).status_code == 403


def test_the_team_sorts_and_is_taken_away_by_those_who_see_it(
    member: Callable[[str, Role], Client], study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    lead = member("lead@example.org", Role.LEAD)
    member("=cmd@example.org", Role.REVIEWER)
    analyst = member("analyst@example.org", Role.ANALYST)
    given = study.roles.get(user__email="analyst@example.org")
    given.given_by = User.objects.get(email="lead@example.org")
    given.save()
    address = reverse("staff_study_team", args=["pilot"])
    with django_assert_max_num_queries(15):
        page = lead.get(address, {"sort": "given_by"})
    first = ["analyst@example.org", "lead@example.org", "=cmd@example.org"]
    assert [part.user.email for part in page.context["page"]] == first
    down = lead.get(address, {"sort": "-given_by"}).context["page"]
    assert next(part.user.email for part in down) == first[0]  # whom nobody gave a role stands last both ways
    file = rows_of(lead, address, sort="given_by")
    assert [row["person"] for row in file] == [*first[:2], "'=cmd@example.org"]
    assert [(row["role"], row["given_by"]) for row in file][:2] == [
        ("analyst", "lead@example.org"), ("lead", ""),
    ]  # fmt: skip
    assert analyst.get(address, {"format": "csv"}).status_code == 403


def test_amendments_are_a_file_with_a_row_for_each_setting(
    member: Callable[[str, Role], Client], study: Study, now: datetime
) -> None:
    lead = member("lead@example.org", Role.LEAD)
    address = reverse("staff_amend", args=["pilot"])
    assert rows_of(lead, address) == []
    changes = {"time_budget_minutes": 240, "closes_at": "2031-01-01T00:00:00Z"}
    study_amend(study=study, changes=changes, reason="=1+1", actor=None, now=now)
    study_amend(study=study, changes={"top_size": 1}, reason="Few came.", actor=None, now=now)
    file = rows_of(lead, address)
    assert (file[0]["amendment"], file[0]["setting"]) == ("2", "top_size")
    assert {row["setting"]: row["before"] for row in file[1:]} == {
        "time_budget_minutes": "300", "closes_at": "",
    }  # fmt: skip
    assert {(row["reason"], row["made_by"]) for row in file[1:]} == {("'=1+1", "")}
    shown = lead.get(address).context["amendments"]
    assert len(file) == sum(len(one["changes"]) for one in shown)
    assert member("eyes@example.org", Role.REVIEWER).get(address, {"format": "csv"}).status_code == 403
