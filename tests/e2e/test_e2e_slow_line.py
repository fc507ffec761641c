"""A page is there before its scripts are: what somebody writes in between is saved like the rest."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, Route, expect

from batches.models import Answer, Session

SCRIPT = "**/batches/answering*.js"


def test_what_is_written_before_the_script_is_there_is_saved_when_it_comes(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session]
) -> None:
    session = begin(note_per_prompt=True, confidence_per_prompt=True)
    page, held = page_without_script(new_device(session.participant.user), session)
    page.locator("[name=text]").fill("Written\nat once")
    page.locator("label.level", has_text="Certain").click()
    for route in held:
        route.continue_()
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    answer = Answer.objects.get(session=session, position=1)
    assert (answer.text, answer.confidence) == ("Written\nat once", 90)


def page_without_script(device: BrowserContext, session: Session) -> tuple[Page, list[Route]]:
    """The answering page whose script is still on its way, and what lets it come."""
    held: list[Route] = []
    device.route(SCRIPT, lambda route: held.append(route))  # Playwright marks its handlers
    page = device.new_page()
    page.goto(f"/sessions/{session.pk}/prompts/1/", wait_until="commit")
    expect(page.locator("[name=text]")).to_be_visible()
    return page, held
