"""Every page there is: accessible in both colour schemes, no scrolling sideways.

`PLACES` of places.py lists the pages, with the person who sees them. A new address without a place (or a
reason to have none) fails the test at the end. `make test-e2e PICTURES=1` puts pictures of each into
var/screenshots/.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page

from batches.models import Session
from batches.services.ending import DeclaredResources, session_submit
from operations.rehearsal.mailbox import Mailbox
from psychometrics.inference.measure import Block
from screening.services.screening import study_screen
from studies.models import Audience, FirstRun, Participant, RecruitingLink, Study, User
from studies.services.people.consents import consent_record
from studies.services.people.invitations import invitation_accept, token_new
from studies.services.people.messages import announcement_make, message_answer, message_send
from studies.services.people.participants import participant_add
from studies.services.people.recruiting_links import LinkSettings, link_open, link_save
from studies.services.staff.first_run import first_run_link_draw
from tests.e2e.places import NO_PAGES, PLACES, Place
from tests.e2e.world import fill, invite, judging, prompts, set_up, staff_with_app
from tests.support.made_rows import bank_upload_read


@pytest.fixture(scope="module")
def world(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    begin: Callable[..., Session],
    staff: User,
    data_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """A study with somebody at every step of the way."""
    now = timezone.now()
    study = make_study(
        prompts=prompts(tmp_path_factory.mktemp("bank")),
        root=tmp_path_factory.getbasetemp() / "bank0",
        name="Puzzles with and without AI",
        note_per_prompt=True,
        confidence_per_prompt=True,
    )
    people = {name: make_person(study) for name in ("ready",)}
    people["approved"] = make_person(study, consented=False)
    people["waiting"] = participant_add(
        study=study, email=f"waiting-{study.slug}@example.org", profile="stem-phd", now=now
    )
    people["invited"] = invitation_accept(token=invite(study, "invited"), now=now)
    consent_record(participant=people["invited"], accepted=True, now=now)
    checked = make_study(comprehension_check=True)
    people["checked"] = make_person(checked)
    sessions = {"working": begin(study), "ended": begin(study), "expired": begin(study, seconds_left=-60)}
    people |= {name: session.participant for name, session in sessions.items()}
    for session in sessions.values():
        fill(session)
    session_submit(session=sessions["ended"], resources=DeclaredResources(("Books",), "One book"), now=now)
    study_screen(study=study, now=now)
    announcement_make(
        study=study,
        audience=Audience.APPROVED,
        text="The help desk is open until 18:00 UTC.",
        actor=staff,
        now=now,
    )
    reference = sessions["working"].reference
    message_send(
        participant=people["working"], text="May I use a ruler?", session_reference=reference, now=now
    )
    message_answer(participant=people["working"], text="Yes.", actor=staff, now=now)
    with override_settings(DATA_DIR=data_folder):
        upload = bank_upload_read(b'{"id": "b", "text": ""}')
    return {
        **judging(make_study, begin, tmp_path_factory.mktemp("judges")),
        **{block: block for block in Block},
        **set_up(study, staff),
        "study": study.slug,
        "checked": checked.slug,
        "one": 1,
        "two": 2,
        "three": 3,
        "four": 4,
        "token": invite(study, "not-yet"),
        "no_token": token_new(),
        "entry_token": entry_link(study, staff).token,
        "upload": upload,
        **{name: session.pk for name, session in sessions.items()},
        **{f"{name}_code": person.code for name, person in people.items()},
        "users": {
            **{name: person.user for name, person in people.items()},
            "staff": staff,
            "staff_with_app": staff_with_app(),
        },
        "staff_number": staff.pk,
        "first_token": first_token(),
    }


def first_token() -> str | None:
    """The link of the first run, as if nobody had made all these people."""
    FirstRun.objects.all().delete()
    return first_run_link_draw(now=timezone.now())


def entry_link(study: Study, staff: User) -> RecruitingLink:
    now, taken = timezone.now(), LinkSettings("PID", completed="C1XY")
    link = link_save(study=study, profile="stem-phd", settings=taken, actor=staff, now=now)
    return link_open(link=link, actor=staff, now=now)


def prepare(page: Page, before: str, world: dict[str, Any], mailbox: Mailbox) -> None:
    """Go on foot to a page that has no address of its own."""
    email = world["users"]["staff_with_app" if "staff" in before else "waiting"].email
    page.goto("/accounts/login/")
    page.get_by_label(re.compile("e-?mail", re.IGNORECASE)).fill(email)
    page.keyboard.press("Enter")
    page.wait_for_url("**/confirm/")
    if "staff" in before:
        page.locator("input[autocomplete=one-time-code]").fill(mailbox.code_for(email))
        page.keyboard.press("Enter")
        page.wait_for_url("**/authenticate/**")


def estimate(page: Page, address: str) -> None:
    """Plan a run of two judges; its estimate is shown under the same address."""
    page.goto(address)
    page.get_by_label("first-judge").check()
    page.get_by_label("another-judge").check()
    page.get_by_label("Budget").fill("12.50")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("heading", name="Estimate").wait_for()


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.label)
def test_page(
    place: Place,
    world: dict[str, Any],
    new_device: Callable[..., BrowserContext],
    mailbox: Mailbox,
    looks: Callable[..., list[str]],
) -> None:
    page = new_device(world["users"].get(place.who)).new_page()
    where = {key: world.get(value, value) for key, value in place.where.items()}
    address = reverse(place.name, kwargs=where)
    if place.before == "estimate":
        estimate(page, address)
    elif place.before == "come with ids":
        page.goto(f"{address}?PID=5f0c1a")
    elif place.before:
        prepare(page, place.before, world, mailbox)
    else:
        response = page.goto(address)
        assert response is not None
        assert response.status == place.status, page.inner_text("main")
    assert page.url.split("?")[0].endswith(address), page.url
    problems = [*looks(page, place.label), *structure(page)]
    assert problems == [], "\n".join(problems)


def structure(page: Page) -> Iterator[str]:
    """One heading of the first level, a title of its own, a language."""
    headings = page.locator("h1").count()
    if headings != 1:
        yield f"{headings} headings of the first level"
    if not re.fullmatch(r".+ · Chiron|Chiron", page.title()):
        yield f"the title is {page.title()!r}"


def test_every_page_there_is_has_a_place_in_this_walk() -> None:
    known = {place.name for place in PLACES} | NO_PAGES.keys()
    assert sorted(set(names(get_resolver())) - known) == []
    assert sorted(known - set(names(get_resolver()))) == []


def names(resolver: URLResolver) -> Iterator[str]:
    """Every named address of ours; the records' pages are Django's, the JSON interface has no pages."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name
        elif isinstance(pattern, URLResolver) and pattern.namespace not in ("admin", "api-1"):
            yield from names(pattern)
