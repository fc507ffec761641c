"""A tab is closed in the middle of something: what was saved stands, and nothing is there by half."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.utils import timezone
from playwright.sync_api import BrowserContext, FilePayload, Page, expect

from batches.models import Session
from batches.services.ending import DeclaredResources, session_submit
from jobs.models import Job
from screening.models import ParticipantFlag
from studies.models import Bank, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.studies import study_create
from tests.e2e.world import fill

BANK = Path(django_settings.BASE_DIR) / "fixtures" / "demo_bank"
# Slow enough that a tab can be closed while the file is on its way.
SLOW = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}


@pytest.fixture
def draft(make_study: Callable[..., Study], staff: User) -> Study:
    bank = make_study().bank_version
    return study_create(
        slug=f"draft-on-{bank.bank.slug}", name="A draft", bank_version=bank, item_bank=None,
        judge_protocol=None, settings=ProtocolSettings(), now=timezone.now(), actor=staff,
    )  # fmt: skip


def press(page: Page, name: str) -> None:
    page.locator("main").get_by_role("button", name=re.compile(name)).first.click()


def test_a_step_of_the_set_up_that_was_left_half_filled_opens_as_it_was_saved(
    draft: Study, staff: User, new_device: Callable[..., BrowserContext]
) -> None:
    device, address = new_device(staff), f"/staff/studies/{draft.slug}/setup/questions/"
    page = device.new_page()
    page.goto(address)
    page.locator("[name=batch_size]").fill("2")
    press(page, "^Save$")
    expect(page.locator("main")).to_contain_text("Saved.")
    page.locator("[name=batch_size]").fill("3")
    page.locator("[name=assembly][value=random]").check()
    page.close()

    again = device.new_page()
    again.goto(address)
    expect(again.locator("[name=batch_size]")).to_have_value("2")
    expect(again.locator("[name=assembly][value=balanced]")).to_be_checked()
    draft.refresh_from_db()
    assert (draft.protocol.batch_size, draft.protocol.assembly) == (2, "balanced")


def zipped_bank() -> FilePayload:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.write(BANK / "bank.jsonl", "closed/bank.jsonl")
        for path in (BANK / "media").iterdir():
            archive.write(path, f"closed/media/{path.name}")
    return {"name": "closed.zip", "mimeType": "application/zip", "buffer": content.getvalue()}


def choose_file(page: Page) -> None:
    page.goto("/staff/banks/upload/")
    page.get_by_label(re.compile("Short name")).fill("closed-tab")
    page.set_input_files("input[type=file]", zipped_bank())


def test_an_upload_whose_tab_was_closed_leaves_nothing_and_can_be_made_again(
    staff: User, sweep: None, new_device: Callable[..., BrowserContext], data_folder: Path
) -> None:
    device = new_device(staff)
    page = device.new_page()
    choose_file(page)
    slow = device.new_cdp_session(page)
    slow.send("Network.enable")
    slow.send("Network.emulateNetworkConditions", SLOW)
    with page.expect_request(lambda sent: sent.method == "POST" and "/banks/upload/" in sent.url):
        page.get_by_role("button", name="Read the file").click(no_wait_after=True)
    page.close()

    again = device.new_page()
    again.goto("/staff/banks/?q=closed-tab")
    expect(again.locator("main")).not_to_contain_text("closed-tab · ")
    assert not Bank.objects.filter(slug="closed-tab").exists()
    choose_file(again)
    press(again, "Read the file")
    press(again, "Import it")
    expect(again.locator("main")).to_contain_text("is imported")
    assert Bank.objects.filter(slug="closed-tab").count() == 1


def test_a_job_goes_on_when_the_tab_that_started_it_is_closed(
    begin: Callable[..., Session], staff: User, sweep: None, new_device: Callable[..., BrowserContext]
) -> None:
    session = begin()
    study = session.participant.study
    fill(session, "idk")
    session_submit(session=session, resources=DeclaredResources(("Books",), ""), now=timezone.now())
    device = new_device(staff)
    page = device.new_page()
    page.goto(f"/staff/studies/{study.slug}/screening/")
    with page.expect_response("**/screening/filter/"):
        page.get_by_role("button", name="Start the off-task filter").click(no_wait_after=True)
    page.close()

    again = device.new_page()
    again.goto(f"/staff/studies/{study.slug}/screening/")
    expect(again.locator("main")).to_contain_text("The filter last looked at 1 person")
    expect(again.locator("main")).to_contain_text(session.participant.code)
    assert Job.objects.get(study=study).state == "done"
    assert ParticipantFlag.objects.filter(participant=session.participant).exists()
