"""A locked study: its protocol is shown, changed by amendments with a reason, and closed."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from studies.models import Study, StudyStatus
from tests.console.setup.conftest import shown_values

pytestmark = pytest.mark.django_db


def test_an_amendment_is_shown_before_it_is_made(staff: Client, make_study: Callable[..., Study]) -> None:
    study = make_study(slug="locked")
    address = reverse("staff_amend_step", args=["locked", "time"])
    sent = shown_values(study, "time") | {"time_budget_minutes": "120"}
    first = staff.post(address, {**sent, "again": "yes"})
    page = first.content.decode()
    assert "This will change" in page
    assert "errorlist" not in page, "the reason could not be written yet"
    kept = staff.post(address, {**sent, "again": "yes", "reason": "Five hours were"}).content.decode()
    assert "Five hours were" in kept
    assert study.amendments.count() == 0
    shown = page.split('name="shown" value="')[1].split('"')[0]
    staff.post(address, {**sent, "shown": shown, "reason": ""})
    assert study.amendments.count() == 0
    other = staff.post(address, {**sent, "time_budget_minutes": "60", "shown": shown, "reason": "Too long"})
    assert other.status_code == 200  # not what was shown: it is shown first
    assert study.amendments.count() == 0
    made = staff.post(address, {**sent, "shown": shown, "reason": "Five hours were too long"})
    assert made["Location"] == reverse("staff_amend", args=["locked"])
    amendment = study.amendments.get()
    assert amendment.changes == {"time_budget_minutes": {"from": 300, "to": 120}}
    assert "Five hours were too long" in staff.get(made["Location"]).content.decode()


def test_what_the_sets_rest_on_cannot_be_amended(staff: Client, make_study: Callable[..., Study]) -> None:
    make_study(slug="locked")
    page = staff.get(reverse("staff_amend_step", args=["locked", "questions"])).content.decode()
    assert 'name="prompt_order"' in page
    assert 'name="batch_size"' not in page
    assert 'name="bank_version"' not in page
    assert staff.get(reverse("staff_amend_step", args=["locked", "arms"])).status_code == 404


def test_closing_needs_a_reason(staff: Client, make_study: Callable[..., Study]) -> None:
    study = make_study(slug="locked")
    address = reverse("staff_setup_close", args=["locked"])
    assert "Sessions still running" in staff.get(address).content.decode()
    assert staff.post(address, {"reason": " "}).status_code == 422
    staff.post(address, {"reason": "Everybody is done"})
    study.refresh_from_db()
    assert study.status == StudyStatus.CLOSED


def test_questions_are_filtered_sorted_and_taken_away(
    staff: Client, make_study: Callable[..., Study], django_assert_max_num_queries: object
) -> None:
    make_study(slug="locked", prompts=60, batch_size=20)
    address = reverse("staff_questions", args=["locked"])
    with django_assert_max_num_queries(15):  # type: ignore[operator]  # pytest-django's fixture
        page = staff.get(address, {"sort": "-label"})
    assert page.context["page"].paginator.count == 60
    assert len(page.context["rows"]) == 50
    labels = [one.label for one, _result in page.context["rows"]]
    assert labels == sorted(labels, reverse=True)
    found = staff.get(address, {"q": labels[0]}).context["rows"]
    assert [one.label for one, _result in found] == [labels[0]]
    lines = staff.get(address, {"q": labels[0], "format": "csv"}).content.decode("utf-8-sig").splitlines()
    assert lines[0].startswith("label,prompt_id,category")
    assert len(lines) == 2
    assert labels[0] in staff.get(reverse("staff_question", args=["locked", labels[0]])).content.decode()
    with django_assert_max_num_queries(12):  # type: ignore[operator]  # pytest-django's fixture
        assert staff.get(reverse("staff_questions_sets", args=["locked"])).status_code == 200
