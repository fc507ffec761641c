"""One step of the set-up: what is refused comes back with what was written; two people never overwrite."""

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from console.forms.steps import STEP_FORMS
from studies.models import Study, User
from studies.services.drafts import draft_sha256, draft_take_over
from tests.console.setup.conftest import Save, shown_values

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("step", [*STEP_FORMS])
def test_saving_a_page_as_it_is_changes_nothing(step: str, draft: Study, save: Save) -> None:
    before = draft_sha256(draft, STEP_FORMS[step].names())
    assert save(draft, step).status_code == 302
    draft.refresh_from_db()
    assert draft_sha256(draft, STEP_FORMS[step].names()) == before
    event = draft.events.order_by("-id").first()
    assert event is not None
    assert event.details == {"step": step, "fields": []}


def test_what_is_refused_stands_at_its_field_and_is_not_lost(draft: Study, save: Save) -> None:
    refused = save(draft, "questions", batch_size="900", name="Another name")
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "This is above 500; write 500 or less." in page
    assert 'value="900"' in page
    assert 'value="Another name"' in page
    draft.refresh_from_db()
    assert (draft.name, draft.protocol.batch_size) == ("A draft", 20)


def test_what_is_refused_is_said_in_the_language_of_the_reader(
    draft: Study, save: Save, staff: Client
) -> None:
    staff.cookies["django_language"] = "de"
    page = save(draft, "questions", batch_size="900").text
    assert "Das ist größer als 500; schreiben Sie 500 oder weniger." in page


def test_a_file_leaves_what_somebody_else_saved_meanwhile(draft: Study, save: Save, now: datetime) -> None:
    opened = Study.objects.get(pk=draft.pk)
    save(draft, "questions", batch_size="6")
    draft_take_over(study=opened, settings={"top_size": 3}, now=now)
    draft.refresh_from_db()
    assert (draft.protocol.batch_size, draft.protocol.top_size) == (6, 3)


def test_a_wrong_entry_of_a_list_is_named_at_its_entry(draft: Study, save: Save) -> None:
    refused = save(draft, "people", **{"profiles-1-slug": "STEM PhD"})
    assert refused.status_code == 422
    (errors,) = [form.errors for form in refused.context["form"].rows["profiles"].forms if form.errors]
    assert list(errors) == ["slug"]
    emptied = save(draft, "people", **{f"profiles-{number}-DELETE": "on" for number in range(3)})
    assert "no entries" in emptied.content.decode()


def test_one_more_entry_can_be_written_before_anything_is_saved(draft: Study, save: Save) -> None:
    more = save(draft, "arms", more="arms", **{"arms-0-slug": "with-ai", "arms-0-instructions": "Use it."})
    assert more.status_code == 200
    assert 'name="arms-1-slug"' in more.content.decode()
    draft.refresh_from_db()
    assert draft.protocol.arms == ()


def test_the_second_of_two_is_told_and_both_are_kept(draft: Study, save: Save, lead: User) -> None:
    opened = shown_values(draft, "time")
    save(draft, "time", time_budget_minutes="60")
    second = save(draft, "time", seen=opened["seen"], time_budget_minutes="90")
    page = second.content.decode()
    assert second.status_code == 409
    assert f"{lead.email} saved this step after you opened it." in page
    assert 'value="90"' in page
    draft.refresh_from_db()
    assert draft.protocol.time_budget_minutes == 60
    again = page.split('name="seen" value="')[1].split('"')[0]
    assert save(draft, "time", seen=again, time_budget_minutes="90").status_code == 302
    draft.refresh_from_db()
    assert draft.protocol.time_budget_minutes == 90


def test_other_steps_that_were_saved_meanwhile_are_no_hindrance(draft: Study, save: Save) -> None:
    opened = shown_values(draft, "time")
    save(draft, "reporting", top_size="3")
    assert save(draft, "time", seen=opened["seen"], time_budget_minutes="45").status_code == 302
    draft.refresh_from_db()
    assert (draft.protocol.top_size, draft.protocol.time_budget_minutes) == (3, 45)


def test_a_preview_is_the_participants_page_and_stores_nothing(staff: Client, draft: Study) -> None:
    before = draft.events.count()
    address = reverse("staff_setup_preview", args=["draft", "consent"])
    written = {"step": "consent", "consent_text": "We record *everything* you write."}
    page = staff.post(address, written)
    assert "We record <em>everything</em> you write." in page.content.decode()
    assert page["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]
    for one in ("instructions", "start", "receipt"):
        assert staff.get(reverse("staff_setup_preview", args=["draft", one])).status_code == 200
    draft.refresh_from_db()
    assert "everything*" not in draft.protocol.consent_text
    assert draft.events.count() == before


def test_a_plan_is_kept_with_the_study(staff: Client, draft: Study) -> None:
    address = reverse("staff_setup_plan", args=["draft"])
    assumed = {
        "between_sd": "0.5",
        "missing": "0.1",
        "pay": "100",
        "judge_call": "0.01",
        "calls_per_answer": "1",
    }
    assert staff.post(address, assumed).status_code == 302
    kept = draft.events.get(kind="study_planned").details
    assert kept["assumed"]["pay"] == 100
    assert kept["found"]["people"] == 6
    assert kept["found"]["pay"] == 600
    wrong = staff.post(address, {**assumed, "missing": "2"})
    assert wrong.status_code == 422
    assert draft.events.filter(kind="study_planned").count() == 1


@pytest.mark.parametrize("step", ["questions", "items", "people", "consent", "judge"])
def test_a_step_takes_few_queries(
    step: str, staff: Client, draft: Study, django_assert_max_num_queries: object
) -> None:
    address = reverse("staff_setup_step", args=["draft", step])
    with django_assert_max_num_queries(18):  # type: ignore[operator]  # pytest-django's fixture
        assert staff.get(address).status_code == 200
