"""A study is judged from the pages, with the keyboard: add a judge, estimate, start, watch, pause, resume."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import DeclaredResources, session_submit
from benchmarks.hashed_judge.log import repeats
from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.models import CriterionScore, JudgeCall, JudgingRun
from judging.services.audits import audit_draw
from scoring.models import ResultSet
from studies.models import Study, User
from tests.e2e.waiting import wait_until

PEOPLE, PROMPTS = 8, 5
VERDICTS = PEOPLE * PROMPTS
LONG = (0, 1)
LONG_CHARACTERS = 1_000
STOPS = 60
# One call at a time: the run takes ten seconds, time enough to pause it.
LATENCY_MS = 250


@pytest.fixture
def judge_endpoint(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "judge.log", latency_ms=LATENCY_MS) as running:
        yield running


@pytest.fixture
def study(make_study: Callable[..., Study], begin: Callable[..., Session]) -> Study:
    """Eight people have answered five prompts, each in words of their own."""
    study = make_study(prompts=PROMPTS, judge_kind="llm")
    for person in range(PEOPLE):
        session = begin(study)
        for position in range(1, PROMPTS + 1):
            long = "\nA further step." * 300 if person in LONG and position == 1 else ""
            answer(session, position, f"Person {person} answers {position}{long}")
        session_submit(session=session, resources=DeclaredResources(("Books",), ""), now=timezone.now())
    return study


def answer(session: Session, position: int, text: str) -> None:
    answer_save(
        user_id=session.participant.user_id,
        session_id=session.pk,
        position=position,
        incoming=IncomingText(text=text, base_revision=0, tab="one", sequence=1),
        now=timezone.now(),
    )


def reach(page: Page, target: Locator) -> None:
    """Press Tab until the element has the focus."""
    expect(target).to_be_visible()
    for _ in range(STOPS):
        if target.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached with the Tab key on {page.url}")


def press(page: Page, name: str, role: str = "button") -> None:
    reach(page, page.locator("main").get_by_role(role, name=name, exact=True))  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def write(page: Page, label: str, text: str) -> None:
    """Write into a field; what stood in it is selected on the way there."""
    reach(page, page.get_by_label(label, exact=True))
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def add_judge(page: Page, url: str) -> None:
    page.goto("/staff/judges/")
    press(page, "Add a judge", "link")
    write(page, "Name", "keyboard-judge")
    write(page, "Model", "judge-1")
    write(page, "Most tokens of a reply", "500")
    write(page, "Address", url)
    write(page, "Calls at a time, at most", "1")
    write(page, "Price of a million tokens read", "0.5")
    write(page, "Price of a million tokens written", "2")
    press(page, "Add the judge")
    expect(page.get_by_text("The judge keyboard-judge is added.")).to_be_visible()


def decided(page: Page) -> int:
    return int(page.locator("#live-state dd").first.inner_text())


def stay(page: Page) -> None:
    """Mark the page: a page that is loaded again has no mark."""
    page.evaluate("window.stayed = true")


def stayed(page: Page) -> bool:
    return bool(page.evaluate("window.stayed === true"))


def wait_for_results(study: Study, page: Page) -> None:
    """The worker computes them as its last step, after the run is over."""
    wait_until(page, ResultSet.objects.filter(run__study=study).exists, "results are computed")


def test_a_study_is_judged_from_its_pages_with_the_keyboard(
    study: Study,
    judge_endpoint: RunningJudge,
    staff: User,
    sweep: None,
    new_device: Callable[..., BrowserContext],
) -> None:
    page = new_device(staff).new_page()
    add_judge(page, judge_endpoint.url)

    page.goto(f"/staff/studies/{study.slug}/judging/")
    reach(page, page.get_by_role("checkbox", name=re.compile("^keyboard-judge")))
    page.keyboard.press("Space")
    write(page, "Budget", "3.5")
    press(page, "Estimate")
    expect(page.get_by_role("row", name=re.compile("keyboard-judge"))).to_contain_text(str(VERDICTS))
    expect(page.get_by_text(re.compile(r"Together about 0\.\d+"))).to_be_visible()
    assert not JudgingRun.objects.filter(study=study).exists()
    assert judge_endpoint.arrivals() == []
    press(page, "Start the run")
    page.wait_for_url("**/judging/*/")

    stay(page)
    numbers = page.locator("#live-state dd").first
    expect(numbers).to_have_text(re.compile(r"^\s*[1-9]\d*\s*$"))
    first = decided(page)
    expect(numbers).not_to_have_text(str(first))
    assert first < decided(page) < VERDICTS
    assert stayed(page)

    press(page, "Pause the run")
    expect(page.get_by_text("Somebody of the study team paused it.")).to_be_visible()
    page.wait_for_timeout(4 * LATENCY_MS)  # what was under way comes to its end
    asked = len(judge_endpoint.arrivals())
    assert asked < VERDICTS
    page.wait_for_timeout(8 * LATENCY_MS)
    assert len(judge_endpoint.arrivals()) == asked

    press(page, "Resume the run")
    expect(page.get_by_role("button", name="Pause the run")).to_be_visible()
    stay(page)
    expect(page.get_by_text("Finished: every planned row is decided.")).to_be_visible()
    expect(page.locator("#judging-said")).to_have_text("Finished: every planned row is decided")
    expect(page.locator("#live-actions")).to_be_hidden()
    assert stayed(page)
    assert decided(page) == VERDICTS

    run = JudgingRun.objects.get(study=study)
    assert (run.state, run.started_by, str(run.budget)) == ("finished", staff, "3.5000")
    assert CriterionScore.objects.filter(judging_run=run, state="scored").count() == VERDICTS
    assert len(judge_endpoint.arrivals()) == VERDICTS
    assert set(repeats(judge_endpoint.arrivals()).values()) == {1}
    spent = sum(call.cost for call in JudgeCall.objects.filter(run__study=study) if call.cost is not None)
    assert spent > 0
    expect(page.locator("#live-state dd").nth(1)).to_have_text(f"{spent:.4f}")
    wait_for_results(study, page)
    rate_long_answers(page, study, run, staff)


def rate_long_answers(page: Page, study: Study, run: JudgingRun, staff: User) -> None:
    """No key rates an answer whose end was not on the screen, at the desk and on a phone."""
    sample = audit_draw(
        run=run, size=VERDICTS, seed=1, public_only=False, actor=staff, now=timezone.now()
    )  # fmt: skip
    long = [item for item in sample.items.all() if len(item.row.answer.text) > LONG_CHARACTERS]
    assert len(long) == len(LONG)
    page.emulate_media(reduced_motion="reduce")
    for item, width, key, score in zip(long, (1440, 360), "mp", (1.0, 0.5), strict=True):
        page.set_viewport_size({"width": width, "height": 740})
        page.goto(f"/staff/studies/{study.slug}/audits/{sample.pk}/?number={item.number}")
        expect(page.get_by_role("heading", name="Criterion")).to_be_in_viewport()
        expect(page.get_by_role("heading", name="Answer", exact=True)).to_be_in_viewport()
        page.keyboard.press(key)
        expect(page.locator("#key-said")).to_contain_text("scroll to their end")
        # Where the bar stands at the foot of the page, scrolling to it shows the answer's end.
        page.locator(f"[data-key={key}]").evaluate("button => button.focus({ preventScroll: true })")
        for press_it in ("Enter", "Space"):
            page.locator("#key-said").evaluate("place => place.textContent = ''")
            page.keyboard.press(press_it)
            expect(page.locator("#key-said")).to_contain_text("scroll to their end")
        page.evaluate("document.activeElement.blur()")
        assert not sample.items.filter(pk=item.pk, human_score__isnull=False).exists()
        page.keyboard.press("End")
        expect(page.locator("#key-said")).to_be_empty()
        with page.expect_navigation():
            page.keyboard.press(key)
        item.refresh_from_db()
        assert (item.human_score, item.rater) == (score, str(staff))
