"""From an empty site to a locked study with its team: the administrator's and the lead's part."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings as django_settings
from playwright.sync_api import FilePayload, Page

from tests.e2e.console_walk.colleagues import People, go, press, says
from tests.support.told import TOLD

BANK = Path(django_settings.BASE_DIR) / "fixtures" / "demo_bank"
SET_SIZE = 6
TEAM = ("coordinator", "reviewer", "analyst")


def lead_is_added(administrator: Page, people: People) -> None:
    """The administrator lets somebody make studies."""
    go(administrator, "Staff")
    administrator.locator("main form[method=post] [name=email]").fill(people.address("lead"))
    administrator.get_by_label(re.compile("make studies")).check()
    press(administrator, "^Add")
    says(administrator, re.escape(people.address("lead")))


def banks_are_uploaded(lead: Page) -> None:
    """The questions with their pictures, and the item parameters that put people on the models' scale."""
    go(lead, "Banks")
    press(lead, "Upload", "link")
    lead.get_by_label(re.compile("Short name")).fill("walk-bank")
    lead.set_input_files("input[type=file]", _zipped_bank())
    press(lead, "Read the file")
    press(lead, "Import it")
    says(lead, "is imported")
    go(lead, "Banks")
    press(lead, "Item banks", "link")
    lead.get_by_label(re.compile("Short name")).fill("walk-items")
    lead.set_input_files("input[type=file]", BANK / "item_parameters.json")
    press(lead, "^Upload$")
    says(lead, "walk-items")


def _zipped_bank() -> FilePayload:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.write(BANK / "bank.jsonl", "walk/bank.jsonl")
        for path in (BANK / "media").iterdir():
            archive.write(path, f"walk/media/{path.name}")
    return {"name": "walk.zip", "mimeType": "application/zip", "buffer": content.getvalue()}


def study_is_locked(lead: Page) -> None:
    """The draft, its settings step by step, the question sets, the lock."""
    go(lead, "Studies")
    press(lead, "New study", "link")
    lead.get_by_label(re.compile("^Name")).fill("The whole walk")
    lead.get_by_label(re.compile("Short name")).fill("walk")
    version = lead.get_by_label(re.compile("bank", re.IGNORECASE))
    version.select_option(label=[one for one in version.locator("option").all_inner_texts() if "walk" in one])
    press(lead, "Make the draft")
    _steps_are_filled(lead)
    go(lead, "Questions")
    press(lead, "Question sets|Sets", "link")
    press(lead, "Build")
    says(lead, r"Sets\s+8\s+balanced, seed")  # a worker builds them
    go(lead, "Protocol")
    press(lead, r"\bLock\b", "link")
    lead.locator("[name=confirmed]").check()
    press(lead, "Lock the study")
    press(lead, "Yes, lock it")
    lead.wait_for_url("**/staff/studies/walk/")


def _told_is_filled(lead: Page) -> None:
    for name, text in TOLD.items():
        lead.locator(f"[name={name}]").fill(str(text))


def _steps_are_filled(lead: Page) -> None:
    """From step to step by the page's one main button; what this study wants otherwise is filled in."""
    wanted: dict[str, Callable[[], object]] = {
        "questions": lambda: lead.locator("[name=batch_size]").fill(str(SET_SIZE)),
        "items": lambda: lead.locator("[name=item_bank]").select_option(label=_named(lead, "walk-items")),
        "told": lambda: _told_is_filled(lead),
        "practice": lambda: lead.locator("[name=comprehension_check]").check(),
        "offtask": lambda: lead.locator("[name=second_share]").fill("0"),  # one reviewer decides
        "judge": lambda: lead.locator("[name=judge_kind][value=checks]").check(),
    }
    lead.wait_for_url("**/setup/questions/")
    while not lead.url.endswith("/lock/"):
        here = lead.url
        wanted.pop(here.rstrip("/").rsplit("/", 1)[-1], lambda: None)()
        lead.locator("main .primary", has_text=re.compile("Save and next|Next:")).click()
        lead.wait_for_url(lambda url: url != here)  # noqa: B023  # asked before the next turn
    assert wanted == {}


def _named(lead: Page, words: str) -> str:
    return next(one for one in lead.locator("[name=item_bank] option").all_inner_texts() if words in one)


def roles_are_given(lead: Page, people: People) -> None:
    """Everybody of the team by their address; none of them has an account yet. The coordinator may decide."""
    for role in TEAM:
        go(lead, "Team")
        lead.locator("main form[method=post] [name=email]").fill(people.address(role))
        lead.get_by_label("Role", exact=True).select_option(role)
        press(lead, "Give the role")
        says(lead, re.escape(people.address(role)))
    lead.get_by_text("0 rights besides").click()
    lead.get_by_label("Approve, reject, replace and withdraw people").check()
    press(lead, "Save the rights")
    says(lead, "1 right besides")


def publication_is_settled(lead: Page) -> None:
    """Under what licence the public bundle may be used, and how it is cited."""
    go(lead, "Export")
    lead.locator("[name=licence]").select_option("CC-BY-4.0")
    lead.locator("[name=authors]").fill("Example, Ada")
    press(lead, "^Save$")
    says(lead, "The next export has it")
