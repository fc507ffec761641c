"""Hostile texts in prompts and answers are shown as texts, and the pages around them stay whole."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from batches.models import Answer, Session
from batches.services.ending import DeclaredResources, session_submit
from studies.bank.records import PromptRecord
from studies.models import Audience, Participant, User
from studies.services.people.messages import announcement_make, message_send

SCRIPTS = """<script>window.hacked = 1</script>
</textarea></pre></article></main><script>window.hacked = 2</script>
<img src="x" onerror="window.hacked = 3">
<svg onload="window.hacked = 4"><script>window.hacked = 5</script></svg>
<a href="javascript:window.hacked = 6">a link</a>
[another link](javascript:window.hacked=7) [and one](JaVaScRiPt:window.hacked=8 "title")
![image](x"onerror="window.hacked=9) <iframe srcdoc="<script>parent.hacked=10</script>"></iframe>
<form action="https://example.org/"><button>Save</button></form>
<style>body { display: none }</style><base href="https://example.org/">
"><input autofocus onfocus="window.hacked = 11"> {{ 7 * 7 }} {% now "Y" %} ${window.hacked = 12}
"""
RIGHT_TO_LEFT = "\u202e\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u2067"
CHARACTERS = f"Right to left: {RIGHT_TO_LEFT}. Lines:\u2028one\u2029two. Zero width:\u200b\ufeff."
NESTED = "> " * 300 + "deep\n\n" + "<div>" * 500 + "[" * 800 + "a" + "]" * 800 + "\n\n" + "- " * 200 + "list"
LONG = "0123456789" * 100_000
TEXTS = {"scripts": SCRIPTS, "characters": CHARACTERS, "nested": NESTED, "one megabyte": LONG}


@pytest.fixture
def hostile(begin: Callable[..., Session]) -> Session:
    """A running session whose prompts are hostile, as plain text and as Markdown."""
    records = [
        PromptRecord(prompt_id=f"p{n}", text=text, text_format=text_format, gold_answer="1")
        for n, (text_format, text) in enumerate(
            (text_format, text) for text in TEXTS.values() for text_format in ("plain", "markdown")
        )
    ]
    return begin(
        prompts=records,
        instructions=SCRIPTS + CHARACTERS,
        consent_text=SCRIPTS,
        allowed_tools=NESTED,
        contact=SCRIPTS,
        next_steps=SCRIPTS,
        payment_note=CHARACTERS,
        practice_prompts=(SCRIPTS, NESTED),
        resource_categories=(SCRIPTS, CHARACTERS),
        answer_max_characters=1_000_000,
    )


def expect_whole(page: Page) -> None:
    """The page is ours alone: nothing ran, no element came from a text, header and footer are in place."""
    assert page.evaluate("window.hacked") is None, page.url
    assert page.locator("h1").count() == 1, page.url
    if page.locator("body > .shell").count():  # a page of the study team
        assert page.locator("body > .shell > .rail, body > .shell > main").count() == 2, page.url
    else:
        assert page.locator("body > header, body > main, body > footer").count() == 3, page.url
        assert page.locator("footer").is_visible(), page.url
    foreign = "script:not([src]), [onerror], [onload], [onfocus], base, style, a[href^='javascript:' i]"
    assert page.locator(foreign).count() == 0, page.url
    assert page.locator("form[action^='http'], svg script").count() == 0, page.url


def visit(page: Page, path: str) -> None:
    response = page.goto(path)
    assert response is not None
    assert (response.status, page.url.endswith(path)) == (200, True), (path, page.url)
    expect_whole(page)


@pytest.mark.parametrize("kind", list(TEXTS))
def test_a_hostile_answer_is_saved_as_typed_and_shown_as_text(
    hostile: Session, open_prompt: Callable[..., Page], kind: str
) -> None:
    text = TEXTS[kind]
    position = 1 + 2 * list(TEXTS).index(kind)  # prompts of the same kind
    page = open_prompt(hostile, position)
    expect_whole(page)
    page.locator("[name=text]").fill(text)
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert Answer.objects.get(session=hostile, position=position).text == text
    page.get_by_role("tab", name="Preview").click()
    expect(page.locator("#answer-preview")).to_be_visible()
    page.wait_for_timeout(500)
    expect_whole(page)
    page.reload()
    expect(page.locator("[name=text]")).to_have_value(text)
    assert direction(page) == ("the whole text" if kind == "one megabyte" else "each paragraph")
    expect_whole(page)
    page.goto(f"/sessions/{hostile.pk}/prompts/{position + 1}/")  # the same text as Markdown
    expect_whole(page)


def direction(page: Page) -> str:
    """What has a direction of its own in the answer: looking for that of a very long paragraph freezes it."""
    style = page.locator("[name=text]").evaluate("field => getComputedStyle(field).unicodeBidi")
    return {"plaintext": "each paragraph", "normal": "the whole text"}[style]


def test_a_megabyte_that_is_pasted_is_laid_out_at_once_and_can_be_written_on(
    hostile: Session, new_device: Callable[..., BrowserContext], open_prompt: Callable[..., Page]
) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    page = open_prompt(hostile, device=new_device(hostile.participant.user, permissions=permissions))
    assert direction(page) == "each paragraph"
    page.evaluate("text => navigator.clipboard.writeText(text)", LONG[1:])
    page.locator("[name=text]").focus()
    page.keyboard.press("Control+V")
    assert direction(page) == "the whole text"
    page.keyboard.type("!")
    expect(page.locator("[name=text]")).to_have_value(f"{LONG[1:]}!")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert Answer.objects.get(session=hostile, position=1).text == f"{LONG[1:]}!"


def test_a_character_that_cannot_be_stored_is_refused_in_a_sentence_and_nothing_is_lost(
    hostile: Session, open_prompt: Callable[..., Page]
) -> None:
    page = open_prompt(hostile)
    field = page.locator("[name=text]")
    field.evaluate("field => { field.value = 'before \\0 after'; }")
    field.dispatch_event("input")
    field.dispatch_event("blur")
    expect(page.locator("#save-problem")).to_be_visible()
    expect(page.locator("#save-problem")).to_contain_text("Not saved.")
    assert field.evaluate("field => field.value") == "before \0 after"
    expect_whole(page)
    field.fill("before after")
    expect(page.locator("#save-state")).to_contain_text("Saved at")
    assert Answer.objects.get(session=hostile, position=1).text == "before after"


def test_every_other_page_of_a_participant_and_the_team_shows_hostile_texts_as_text(
    hostile: Session,
    make_person: Callable[..., Participant],
    new_device: Callable[..., BrowserContext],
    staff: User,
) -> None:
    participant, now = hostile.participant, timezone.now()
    study, slug = participant.study, participant.study.slug
    announcement_make(study=study, audience=Audience.APPROVED, text=SCRIPTS, actor=staff, now=now)
    message_send(participant=participant, text=SCRIPTS, page="/<script>", now=now)
    page = new_device(make_person(study).user).new_page()
    for rest in ("", "consent/", "instructions/", "practice/1/", "practice/2/", "start/", "withdraw/"):
        visit(page, f"/studies/{slug}/{rest}")
    page = new_device(participant.user).new_page()
    at_work = ["", "submit/", "resources/"]
    for path in [
        *(f"/sessions/{hostile.pk}/{rest}" for rest in at_work),
        *(f"/studies/{slug}/{rest}" for rest in ("", "consent/", "instructions/", "help/")),
    ]:
        visit(page, path)
    session_submit(session=hostile, resources=DeclaredResources((SCRIPTS,), SCRIPTS), now=now)
    visit(page, f"/sessions/{hostile.pk}/receipt/")
    page = new_device(staff).new_page()
    team = ["", "participants/", f"participants/{participant.code}/", "announcements/", "messages/"]
    for rest in [*team, f"messages/{participant.code}/", "results/", "screening/"]:
        visit(page, f"/staff/studies/{slug}/{rest}")
