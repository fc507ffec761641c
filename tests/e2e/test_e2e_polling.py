"""An open page of a session asks one question for time and notices, and none where a save's reply told both;
and later where the server has no time for it.
"""

from collections.abc import Callable
from datetime import timedelta

from django.db.models import F
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from batches.models import Answer, Session
from batches.services.extending import session_extend
from studies.models import User
from studies.services.people.messages import announcement_make
from tests.e2e.test_e2e_clock import expect_right
from tests.e2e.waiting import wait_until

BUSY = {"Retry-After": "2", "X-Busy": "1"}


class Busy:
    """A server that refuses every poll; `refused` holds when each came, by the server's clock."""

    def __init__(self, device: BrowserContext) -> None:
        self.device = device
        self.refused: list[float] = []
        device.route("**/api/sessions/*/time", self.refuse)

    def refuse(self, route: Route) -> None:
        self.refused.append(timezone.now().timestamp())
        route.fulfill(status=503, headers=BUSY, body="")

    def end(self) -> None:
        self.device.unroute("**/api/sessions/*/time")


def test_a_busy_server_is_asked_again_when_it_said_and_the_page_shows_nothing_of_it(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin(seconds_left=500)
    device = new_device(session.participant.user)
    busy = Busy(device)
    page = open_prompt(session, device=device)
    page.evaluate("dispatchEvent(new Event('focus'))")
    wait_until(page, lambda: len(busy.refused) >= 3, f"the page asks three times, not {busy.refused}")
    page.evaluate("dispatchEvent(new Event('focus'))")  # nobody's asking is a way around it
    pauses = [after - before for before, after in zip(busy.refused, busy.refused[1:], strict=False)]
    assert min(pauses) >= 1.9, pauses
    expect(page.locator("#line-lost")).to_be_hidden()
    expect_right(page, session)
    page.locator("[name=text]").press_sequentially("Saved all the same")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    busy.end()
    session_extend(session=session, minutes=5, reason="A fire alarm", now=timezone.now())
    expect(page.locator("#time-extended")).to_contain_text("5 more minutes", timeout=10_000)
    expect(page.locator("#line-lost")).to_be_hidden()


def test_the_reply_to_a_save_shows_extra_time_and_notices_where_every_question_is_refused(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    staff: User,
) -> None:
    session = begin(seconds_left=200)
    device = new_device(session.participant.user)
    Busy(device)
    page = open_prompt(session, device=device)
    now = timezone.now()
    session_extend(session=session, minutes=5, reason="A fire alarm", now=now)
    announcement_make(study=session.participant.study, text="Lunch is at noon.", actor=staff, now=now)
    page.locator("[name=text]").press_sequentially("A word")
    expect(page.locator("#time-extended")).to_contain_text("5 more minutes", timeout=10_000)
    expect(page.locator("#notices")).to_contain_text("Lunch is at noon.")
    expect_right(page, session)


def test_a_page_with_a_clock_asks_for_notices_with_the_time_alone(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    """One and a half minutes go by on the page's own clock."""
    session = begin()
    device = new_device(session.participant.user)
    device.clock.install()
    page = open_prompt(session, device=device)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    for _ in range(10):
        with page.expect_response("**/time"):
            device.clock.run_for(9_000)
    assert "notices" not in asked


def test_at_the_end_a_page_closes_though_the_server_is_busy_and_goes_on_when_it_is_told(
    new_device: Callable[..., BrowserContext],
    begin: Callable[..., Session],
    open_prompt: Callable[..., Page],
    pass_time: Callable[..., None],
) -> None:
    session = begin(late_tolerance_seconds=0)
    device = new_device(session.participant.user)
    page = open_prompt(session, device=device)
    pass_time(session, left=6, page=page)
    busy = Busy(device)
    field = page.locator("[name=text]")
    expect(field).to_have_attribute("readonly", "")
    Session.objects.filter(pk=session.pk).update(deadline_at=F("deadline_at") + timedelta(minutes=5))
    busy.end()
    expect(field).not_to_have_attribute("readonly", "", timeout=10_000)
    field.press_sequentially("Once more")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert Answer.objects.get(session=session, position=1).text == "Once more"
