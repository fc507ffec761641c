"""A study from an empty site to the public bundle through pages alone, by people with different parts."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import BrowserContext, FilePayload, Page, expect

from operations.rehearsal.mailbox import Mailbox
from studies.models import ItemBank, Study, User
from studies.services.staff.staff import staff_add

BANK = Path(django_settings.BASE_DIR) / "fixtures" / "demo_bank"
PEOPLE = {name: f"{name}@console.example.org" for name in ("lead", "coordinator", "reviewer", "analyst")}
SETUP = "/staff/studies/walk/setup"


@pytest.fixture
def colleagues(new_device: Callable[..., BrowserContext], committed: None) -> Callable[[str], Page]:
    """A page of a browser in which this person is signed in, made at the first use: `page_of("lead")`."""
    pages: dict[str, Page] = {}

    def page_of(name: str) -> Page:
        if name not in pages:
            pages[name] = new_device(User.objects.get(email=PEOPLE[name])).new_page()
        return pages[name]

    return page_of


def press(page: Page, name: str, role: str = "button") -> None:
    page.locator("main").get_by_role(role, name=re.compile(name)).first.click()  # type: ignore[arg-type]


def zipped_bank() -> FilePayload:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.write(BANK / "bank.jsonl", "walk/bank.jsonl")
        for path in (BANK / "media").iterdir():
            archive.write(path, f"walk/media/{path.name}")
    return {"name": "walk.zip", "mimeType": "application/zip", "buffer": content.getvalue()}


def team_is_made(administrator: Page) -> None:
    """The administrator lets somebody make studies."""
    administrator.goto("/staff/team/")
    administrator.locator("main form[method=post] [name=email]").fill(PEOPLE["lead"])
    administrator.get_by_label(re.compile("make studies")).check()
    press(administrator, "^Add")
    expect(administrator.locator("main")).to_contain_text(PEOPLE["lead"])


def banks_are_uploaded(lead: Page) -> None:
    lead.goto("/staff/banks/")
    press(lead, "Upload", "link")
    lead.get_by_label(re.compile("Short name")).fill("walk-bank")
    lead.set_input_files("input[type=file]", zipped_bank())
    press(lead, "Read the file")
    press(lead, "Import it")
    expect(lead.locator("main")).to_contain_text("is imported")
    lead.goto("/staff/item-banks/")
    lead.get_by_label(re.compile("Short name")).fill("walk-items")
    lead.set_input_files("input[type=file]", BANK / "item_parameters.json")
    press(lead, "^Upload$")
    expect(lead.locator("main")).to_contain_text("walk-items")


def study_is_locked(lead: Page) -> None:
    """From the bank to a locked protocol: a step of the set-up each."""
    lead.goto("/staff/")
    press(lead, "New study", "link")
    lead.get_by_label(re.compile("^Name")).fill("The whole walk")
    lead.get_by_label(re.compile("Short name")).fill("walk")
    version = lead.get_by_label(re.compile("bank", re.IGNORECASE))
    version.select_option(label=[one for one in version.locator("option").all_inner_texts() if "walk" in one])
    press(lead, "Make the draft")
    lead.wait_for_url("**/setup/questions/")
    lead.locator("[name=batch_size]").fill("12")
    press(lead, "^Save$")
    lead.goto(f"{SETUP}/items/")
    lead.locator("[name=item_bank]").select_option(str(ItemBank.objects.get(slug="walk-items").pk))
    press(lead, "^Save$")
    lead.goto(f"{SETUP}/judge/")
    lead.locator("[name=judge_kind]").and_(lead.locator("[value=checks], select")).first.check()
    press(lead, "^Save$")
    lead.goto("/staff/studies/walk/questions/sets/")
    press(lead, "Build")
    expect(lead.locator("main")).to_contain_text("4 question sets are built")
    lead.goto(f"{SETUP}/lock/")
    press(lead, "Lock the study")
    lead.wait_for_url("**/staff/studies/walk/")
    assert Study.objects.get(slug="walk").status == "frozen"


def roles_are_given(lead: Page) -> None:
    for role in ("coordinator", "reviewer", "analyst"):
        lead.goto("/staff/studies/walk/team/")
        lead.locator("main form[method=post] [name=email]").fill(PEOPLE[role])
        lead.get_by_label("Role", exact=True).select_option(role)
        press(lead, "Give the role")
        expect(lead.locator("main")).to_contain_text(PEOPLE[role])


def test_a_study_from_an_empty_site_to_the_public_bundle_by_pages_alone(
    new_device: Callable[..., BrowserContext], colleagues: Callable[[str], Page], mailbox: Mailbox
) -> None:
    administrator, _ = staff_add(email="administrator@console.example.org", superuser=True)
    team_is_made(new_device(administrator).new_page())
    banks_are_uploaded(colleagues("lead"))
    study_is_locked(colleagues("lead"))
    roles_are_given(colleagues("lead"))
