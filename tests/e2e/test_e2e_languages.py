"""The second language, in the browser: texts of pages, of scripts and of the server's replies."""

from collections.abc import Callable

from django.utils import translation
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Session
from presentation.numbers import as_written

NUMBERS = [0, 1, 2, 999, 1000, 1234, 1234567, -1, -1234, 0.5, -0.25, 1234.5]
WRITTEN_BY_SCRIPTS = """async (numbers) => {
  const loaded = performance.getEntriesByType("resource").map((one) => one.name);
  const module = loaded.find((name) => /\\/js\\/texts\\.([^/]*\\.)?js$/.test(name));
  const { fill, ngettext, written } = await import(module);
  const words = (number) => fill(ngettext("%(words)s word", "%(words)s words", number), { words: number });
  return numbers.map((number) => [written(number), words(number)]);
}"""


def test_the_workspace_speaks_the_language_the_reader_chooses(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    page = open_prompt(session, device=new_device(session.participant.user))
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Frage 1 von")
    page.locator("[name=text]").press_sequentially("Eine Antwort")
    expect(page.locator("#save-state")).to_contain_text("Gespeichert um")
    expect(page.locator(".answer-list li").first).to_contain_text("beantwortet")
    page.locator("[name=text]").fill("x" * 100_001)
    expect(page.locator("#save-problem")).to_contain_text("kürzen Sie")


def test_scripts_write_numbers_as_the_server_does(
    new_device: Callable[..., BrowserContext], begin: Callable[..., Session], open_prompt: Callable[..., Page]
) -> None:
    session = begin()
    page = open_prompt(session, device=new_device(session.participant.user))
    for language, button, one, many in (
        ("de", "Deutsch", "Wort", "Wörter"), ("en", "English", "word", "words"),
    ):  # fmt: skip
        page.get_by_role("button", name=button).click()
        expect(page.locator("html")).to_have_attribute("lang", language)
        page.wait_for_load_state()  # the language is there before the scripts
        with translation.override(language):
            written = [as_written(number) for number in NUMBERS]
        wanted = [
            [text, f"{text} {one if number == 1 else many}"]
            for text, number in zip(written, NUMBERS, strict=True)
        ]
        assert page.evaluate(WRITTEN_BY_SCRIPTS, NUMBERS) == wanted
