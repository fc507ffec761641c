"""People come into the study: the coordinator invites a list and decides, everybody answers."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from studies.protocol.texts import DEFAULT_CHECK
from tests.e2e.console_walk.colleagues import People, go, press, says
from tests.e2e.console_walk.making import BANK, SET_SIZE
from tests.e2e.mails import mailed_link
from tests.support.told import TOLD

ANSWERING = {"first": "stem-phd", "second": "non-stem-undergraduate", "third": "stem-undergraduate"}
IDLE = "idle"  # answers everything with next to nothing
INVITED = {**ANSWERING, IDLE: "stem-phd"}
# What people write about themselves and into their answers, and no public file may hold.
OF_THEIRS = "Marzipanology"
NAMED = "Ottilie Marzipan"


def list_is_invited(coordinator: Page, people: People) -> None:
    """One line names a profile that there is not: it is said, mended in the list as it came back. A profile
    may be named as pages do, and a person by their name.
    """
    go(coordinator, "People")
    press(coordinator, "Upload a list", "link")
    lines = [f"{people.address(name)}, {profile}" for name, profile in INVITED.items()]
    lines[0] = f"{people.address('first')}, STEM PhD, English, {NAMED}"
    coordinator.locator("[name=text]").fill("\n".join([*lines[:2], f"{lines[2]}s", *lines[3:]]))
    press(coordinator, "Check the list")
    says(coordinator, "Nobody was invited: 1 problem was found")
    says(coordinator, "[Ll]ine 3")
    written = coordinator.locator("[name=text]")
    written.fill(written.input_value().replace(f"{lines[2]}s", lines[2]))
    press(coordinator, "Check the list")
    says(coordinator, NAMED)
    press(coordinator, "Invite 4 people")
    says(coordinator, "4 invitations are on their way")


def applies(people: People, name: str, mails: Path) -> None:
    """By the mail's link into the study: signed in, consent given, profile sent."""
    page = people.browser_of(name)
    page.goto(mailed_link(mails, people.address(name)))
    press(page, "Accept the invitation")
    people.sign_in(page, name)
    press(page, "Read the consent text", "link")
    says(page, str(TOLD["pay"]))
    press(page, "I agree and take part")
    press(page, "Fill in the profile form", "link")
    page.wait_for_url("**/profile/")
    _profile_is_filled_in(page)
    press(page, "Send")
    page.wait_for_url("**/studies/walk/")


def _profile_is_filled_in(page: Page) -> None:
    form = page.locator("main form")
    for choice in form.locator("select").all():
        choice.select_option(index=1)
    for text in form.locator("input[type=text], textarea").all():
        text.fill(OF_THEIRS)
    for group in form.locator("fieldset").all():
        group.locator("input[type=radio], input[type=checkbox]").first.check()


def all_are_approved(coordinator: Page) -> None:
    """Who was given the right opens the first who waits; each decision leads on to the next."""
    go(coordinator, "People")
    says(coordinator, NAMED)
    press(coordinator, f"^Applications {len(INVITED)}$", "link")
    rows = coordinator.locator("main table tbody tr")
    rows.first.get_by_role("link").first.click()
    for left in reversed(range(len(INVITED))):
        press(coordinator, "^Approve as")
        says(coordinator, "is approved")
        expect(rows).to_have_count(left)


def gets_ready(page: Page) -> None:
    """Instructions, a practice question and the check, each from the page of the study."""
    page.goto("/studies/walk/")
    press(page, "Read the instructions", "link")
    press(page, "Practice question 1", "link")
    page.locator("[name=text]").fill("Only practice")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    press(page, "End the practice", "link")
    press(page, "Answer the questions", "link")
    _check_is_passed(page)


def _check_is_passed(page: Page) -> None:
    for question, options, correct in DEFAULT_CHECK:
        page.get_by_role("group", name=question).get_by_label(options[correct - 1], exact=True).check()
    press(page, "Send my answers")


def answers_the_set(page: Page, *, solves: bool) -> None:
    """Start, answer every question of the set in the workspace, declare what was used, submit."""
    press(page, "Go to the start page", "link")
    press(page, "Start my")
    press(page, "Go to question 1", "link")
    solutions = _solutions()
    for position in range(1, SET_SIZE + 1):
        page.wait_for_url(f"**/prompts/{position}/")
        asked = page.locator("#prompt-plain").input_value()
        right = solutions[asked.strip()] if position % 2 else f"I found no way through this ({OF_THEIRS})."
        page.locator("[name=text]").fill(right if solves else "idk")
        press(page, "Next question" if position < SET_SIZE else "Review and submit")
    page.wait_for_url("**/submit/")
    page.get_by_role("checkbox").first.check()
    press(page, "Submit my answers")
    page.wait_for_url("**/receipt/")


def _solutions() -> dict[str, str]:
    """What is right, by the question's text."""
    lines = [json.loads(line) for line in (BANK / "bank.jsonl").read_text(encoding="utf-8").splitlines()]
    return {one["text"].strip(): one.get("gold_answer") or one["solution"] for one in lines if "id" in one}
