"""Two leads amend a locked study at once: the second is told, and undoes nothing of the first."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from console.views.setup import amending
from studies.models import Study
from studies.services.amendments import study_amend
from tests.access.forms_shown import forms_of

pytestmark = pytest.mark.django_db
TOLD = "Somebody amended the study since you opened this page"
ADDRESS = reverse("staff_amend_step", args=["locked", "time"])


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="locked")


def sent(page: str, **changed: str) -> dict[str, Any]:
    """What a browser sends of the page, with some fields changed and no button pressed."""
    (form,) = [one for one in forms_of(page, ADDRESS) if one.name == "staff_amend_step"]
    return {**form.values, **changed} | ({} if "again" in changed else {"again": []})


def opened(staff: Client) -> str:
    return staff.get(ADDRESS).content.decode()


def amended(staff: Client, page: str, **changed: str) -> None:
    """Amend the study from this page, seeing first what will change."""
    shown = staff.post(ADDRESS, sent(page, **changed, again="yes")).content.decode()
    assert staff.post(ADDRESS, sent(shown, reason="The first")).status_code == 302


def made(study: Study) -> list[Mapping[str, Any]]:
    return list(study.amendments.order_by("number").values_list("changes", flat=True))


def test_the_second_is_told_before_the_same_setting_is_amended_again(staff: Client, study: Study) -> None:
    first, second = opened(staff), opened(staff)
    waits = staff.post(ADDRESS, sent(second, time_budget_minutes="320", again="yes")).content.decode()
    amended(staff, first, time_budget_minutes="310")
    told = staff.post(ADDRESS, sent(waits, reason="The second"))
    page = told.content.decode()
    assert told.status_code == 409
    assert page.count(TOLD) == 1
    assert [(one["before"], one["after"]) for one in told.context["since"]] == [("300", "310")]
    assert [(one["before"], one["after"]) for one in told.context["difference"]] == [("310", "320")]
    assert len(made(study)) == 1
    assert "The second" in page, "the reason is not lost"
    assert staff.post(ADDRESS, sent(page)).status_code == 302
    assert made(study)[1] == {"time_budget_minutes": {"from": 310, "to": 320}}


def test_what_the_first_amended_elsewhere_on_the_page_is_left_as_it_is(staff: Client, study: Study) -> None:
    waits = staff.post(ADDRESS, sent(opened(staff), time_budget_minutes="320", again="yes")).content.decode()
    amended(staff, opened(staff), closes_at="2031-03-01T12:00", late_tolerance_seconds="25")
    amended(staff, opened(staff), late_tolerance_seconds="30")
    told = staff.post(ADDRESS, sent(waits, reason="The second"))
    assert told.status_code == 409
    assert len(told.context["since"]) == 2
    assert [(one["before"], one["after"]) for one in told.context["difference"]] == [("300", "320")]
    page = told.content.decode()
    assert 'value="2031-03-01T12:00"' in page
    assert staff.post(ADDRESS, sent(page)).status_code == 302
    assert made(study)[2] == {"time_budget_minutes": {"from": 300, "to": 320}}
    study.refresh_from_db()
    assert (study.protocol.time_budget_minutes, study.protocol.late_tolerance_seconds) == (320, 30)
    assert study.closes_at is not None


@pytest.mark.parametrize("seen", ["", "a fingerprint of no protocol"])
def test_a_page_that_does_not_say_what_it_showed_amends_nothing(
    seen: str, staff: Client, study: Study
) -> None:
    told = staff.post(ADDRESS, sent(opened(staff), time_budget_minutes="320", reason="x", seen=seen))
    assert told.status_code == 409
    assert 'value="320"' in told.content.decode()
    assert made(study) == []


def test_a_mistake_on_an_old_page_does_not_make_it_a_new_one(staff: Client, study: Study) -> None:
    page = opened(staff)
    amended(staff, opened(staff), late_tolerance_seconds="25")
    wrong = staff.post(ADDRESS, sent(page, time_budget_minutes="0", again="yes"))
    assert wrong.status_code == 422
    told = staff.post(ADDRESS, sent(wrong.content.decode(), time_budget_minutes="320", again="yes"))
    assert told.status_code == 409
    assert len(told.context["difference"]) == 1


def test_an_amendment_made_between_looking_and_writing_is_told_too(
    staff: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = staff.post(ADDRESS, sent(opened(staff), time_budget_minutes="320", again="yes")).content.decode()

    def late(**order: Any) -> Any:
        monkeypatch.undo()
        study_amend(study=study, changes={"top_size": 3}, reason="The first", now=order["now"])
        return study_amend(**order)

    monkeypatch.setattr(amending, "study_amend", late)
    assert staff.post(ADDRESS, sent(waits, reason="The second")).status_code == 409
    assert [list(one) for one in made(study)] == [["top_size"]]
