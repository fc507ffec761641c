"""The workspace of a study whose answers are compared: how the answer is read, while it is written."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from batches.models import Session
from studies.bank.records import PromptRecord
from studies.models import Study

QUESTION = "Which day is it?\nOptions:\n(A) Monday\n(B) Tuesday"


@pytest.fixture
def session(make_study: Callable[..., Study], begin: Callable[..., Session]) -> Session:
    prompts = [
        PromptRecord(prompt_id=f"p{number}", text=QUESTION, gold_answer="(A)", task="date_understanding")
        for number in range(1, 5)
    ]
    return begin(make_study(prompts=prompts, judge_kind="match", match_rules="bbh"))


def test_what_is_read_follows_the_writing_and_the_review_names_what_is_not(
    session: Session, open_prompt: Callable[..., Page]
) -> None:
    page = open_prompt(session)
    field, reading = page.locator("#id_text"), page.locator("#reading")
    expect(reading).to_contain_text("the letter of one option, such as (B)")
    field.press_sequentially("(B) Tuesday")
    expect(reading).to_contain_text("Read as: B")
    field.fill("A or B")
    expect(reading).to_contain_text("No answer is read here.")
    expect(reading).not_to_contain_text("Read as")
    page.get_by_role("link", name="Review and submit").first.click()
    expect(page.locator("#unread")).to_contain_text("In 1 answer nothing is read.")
    page.locator("#unread").get_by_role("link").click()
    field.fill("B")
    expect(reading).to_contain_text("Read as: B")
