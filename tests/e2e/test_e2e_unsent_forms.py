"""What somebody of the team has typed is not lost: not by a job that ends, not by a link that is clicked."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Dialog, Page, expect

from jobs.models import Job, JobState
from studies.models import Study, User

CLOSES = datetime(2040, 7, 1, 16, 0, tzinfo=UTC)
ANEW = "Show what there is now"


@pytest.fixture
def page(new_device: Callable[..., BrowserContext], staff: User) -> Page:
    return new_device(staff).new_page()


def running(study: Study) -> Job:
    """An export that a worker has in its hands until the test ends it."""
    now = timezone.now()
    return Job.objects.create(
        kind="export", study=study, arguments={"contents": "public"}, state=JobState.RUNNING, lease=uuid4(),
        leased_until=now + timedelta(hours=1), created_at=now, started_at=now, moved_at=now,
    )  # fmt: skip


def end(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=JobState.CANCELLED, lease=None, leased_until=None, finished_at=timezone.now()
    )


def test_a_job_that_ends_loads_no_page_anew_on_which_something_was_chosen(
    page: Page, make_study: Callable[..., Study]
) -> None:
    study = make_study()
    job = running(study)
    page.goto(reverse("staff_exports", args=[study.slug]))
    internal = page.get_by_role("radio", name="Internal, with texts")
    internal.check()
    end(job)
    anew = page.get_by_role("link", name=ANEW)
    expect(anew).to_be_visible()
    expect(page.get_by_role("status").filter(has=anew)).to_contain_text("It has ended")
    expect(internal).to_be_checked()
    anew.click()
    expect(page.get_by_role("radio", name="Public, without texts")).to_be_checked()
    expect(page.get_by_role("button", name="Make export")).to_be_enabled()


def test_a_job_that_ends_loads_a_page_anew_on_which_nothing_was_changed(
    page: Page, make_study: Callable[..., Study]
) -> None:
    study = make_study()
    job = running(study)
    page.goto(reverse("staff_exports", args=[study.slug]))
    expect(page.get_by_role("button", name="Make export")).to_be_disabled()
    end(job)
    expect(page.get_by_role("button", name="Make export")).to_be_enabled()


def test_whoever_leaves_a_form_that_is_not_saved_is_asked_first(
    page: Page, make_study: Callable[..., Study]
) -> None:
    study = make_study(closes_at=CLOSES)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    step = reverse("staff_amend_step", args=[study.slug, "time"])
    minutes = page.locator("#id_time_budget_minutes")
    leaving = page.locator(".rail").get_by_role("link", name="Export")
    page.goto(step)
    expect(page.get_by_label("Closes")).to_have_value("2040-07-01T12:00")
    leaving.click()
    page.wait_for_url(f"**{reverse('staff_exports', args=[study.slug])}")
    assert asked == [], "nothing was changed: the zone of this device is no change"
    page.goto(step)
    minutes.fill("77")
    leaving.click(no_wait_after=True)
    expect(minutes).to_have_value("77")
    assert asked == ["beforeunload"]
    page.get_by_role("button", name="Show the difference").click()
    page.get_by_label("Reason").fill("Shorter")
    leaving.click(no_wait_after=True)
    expect(page.get_by_label("Reason")).to_have_value("Shorter")
    assert len(asked) == 2
    page.get_by_role("button", name="Make this amendment").click()
    page.wait_for_url("**/amendments/")
    assert len(asked) == 2, "what is sent is not lost"
