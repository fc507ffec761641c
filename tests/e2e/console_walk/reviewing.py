"""From answers to results that are current: the filter, the verdicts, judging, recomputing."""

from playwright.sync_api import Page, expect

from tests.e2e.console_walk.colleagues import People, go, press, says
from tests.e2e.console_walk.people import INVITED

# A job computes results beside everything else that a busy machine does.
COMPUTED_MS = 120_000


def filter_is_run(lead: Page) -> None:
    """A job with progress on the page of the screening; at its end the page shows who was flagged."""
    go(lead, "Screening")
    press(lead, "Start the off-task filter")
    says(lead, f"looked at {len(INVITED)} people")


def verdict_is_given(reviewer: Page, people: People) -> None:
    """The one who was flagged, before a reviewer who learns nothing but what was written, by keys alone."""
    go(reviewer, "Screening")
    says(reviewer, "1 of 1")
    _nothing_gives_away(reviewer, people)
    for key in ("c", "6", "Control+Enter"):
        reviewer.keyboard.press(key)
    says(reviewer, "On task: counted")


def _nothing_gives_away(reviewer: Page, people: People) -> None:
    """No name, no profile and no score on the page, and no other page of the study opens."""
    shown = reviewer.content()
    for secret in (*map(people.address, INVITED), "STEM", "stem-", "theta"):
        assert secret not in shown
    for page in ("results/", "participants/", "exports/", "judging/"):
        assert reviewer.request.get(f"/staff/studies/walk/{page}").status == 403


def verdict_is_changed(reviewer: Page, why: str) -> None:
    """The same reviewer reads once more what they decided."""
    go(reviewer, "Screening")
    press(reviewer, "^Decided", "link")
    expect(reviewer.get_by_label("Off-task, do not count")).to_be_visible()
    reviewer.wait_for_load_state()  # keys act from then on
    reviewer.keyboard.press("x")
    expect(reviewer.get_by_label("Off-task, do not count")).to_be_checked()
    reviewer.keyboard.press("0")
    expect(reviewer.get_by_label("Reason for another verdict")).to_be_focused()
    reviewer.keyboard.type(why)
    reviewer.keyboard.press("Control+Enter")
    says(reviewer, "Off-task: not counted")


def study_is_judged(lead: Page) -> None:
    """Estimate, start, and the page that follows the run to its end."""
    go(lead, "Judging")
    press(lead, "^Estimate$")
    press(lead, "Start the run")
    says(lead, "Finished: every planned row is decided")
    expect(lead.locator("main").get_by_role("link", name="See the results")).to_be_visible()


def results_are_current(page: Page, counted: int) -> None:
    go(page, "Results")
    expect(page.locator(".page-head .pill")).to_have_text("Current", timeout=COMPUTED_MS)
    says(page, f"{counted} people")


def results_are_recomputed(lead: Page) -> None:
    """They say that they are older than the verdict, and what to press."""
    go(lead, "Results")
    expect(lead.locator(".page-head .pill")).to_contain_text("Older than")
    press(lead, "^Recompute$")
    expect(lead.locator(".page-head .pill")).to_have_text("Current", timeout=COMPUTED_MS)
