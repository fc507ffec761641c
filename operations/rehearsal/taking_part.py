"""Many simulated people at work at once, each through the pages."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from operations.rehearsal.answers import PromptKey, write_answer
from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.people import OFF_TASK_TEXTS, Behaviour, SimulatedPerson
from operations.rehearsal.web import Place, WebParticipant

TIMED_OUT_AFTER = 0.6  # the share of prompts a person reaches who never submits


@dataclass(frozen=True)
class Site:
    """Where the crew works: a running server, its mail folder, one study and its prompts.

    `check` are the right options of the check questions, if the study asks them. Without a mailbox nobody
    can sign in.
    """

    base_url: str
    mailbox: Mailbox | None
    study: str
    keys: Mapping[str, PromptKey]
    resources: Sequence[str]
    skip_share: float = 0.0
    check: Sequence[int] = ()


def work(people: Sequence[SimulatedPerson], site: Site, *, at_once: int) -> int:
    """Let everybody work, `at_once` at a time, under a bar; return how many answers they saved.

    Raises:
        Exception: the first failure of anybody; the others finish first.
    """

    def take_part(person: SimulatedPerson) -> int:
        with WebParticipant(site.base_url, site.mailbox) as browser:
            browser.sign_in(person.email)
            return go_through(person, browser, site)

    saved = 0
    with (
        tqdm(total=len(people), unit=" people", desc="answering", disable=None) as bar,
        ThreadPoolExecutor(max_workers=at_once) as pool,
    ):
        for count in pool.map(take_part, people):
            saved += count
            bar.update()
    return saved


def go_through(
    person: SimulatedPerson,
    browser: WebParticipant,
    site: Site,
    *,
    answered: Collection[int] = (),
    step: Callable[[], None] = lambda: None,
) -> int:
    """One person who is signed in, from consent to receipt; return the number of answers saved.

    `answered` are the places that they answered before they were interrupted; `step` is called before each.
    """
    rng = np.random.default_rng(person.seed)
    browser.consent(site.study)
    if site.check:
        browser.pass_check(site.study, site.check)
    session = browser.start(site.study)
    places = list(browser.places(session))
    if person.behaviour == Behaviour.TIMES_OUT:
        places = places[: int(len(places) * TIMED_OUT_AFTER)]
    saved = 0
    for place in places:
        step()
        if place.position not in answered:
            saved += answer(person, browser, session, place, site, rng)
    if person.behaviour == Behaviour.WITHDRAWS:
        browser.withdraw(site.study)
    elif person.behaviour != Behaviour.TIMES_OUT:
        browser.submit(session, [str(rng.choice(list(site.resources)))])
    return saved


def answer(
    person: SimulatedPerson,
    browser: WebParticipant,
    session: str,
    place: Place,
    site: Site,
    rng: np.random.Generator,
) -> bool:
    """Read one prompt and save an answer, unless the person skips it."""
    browser.read_prompt(session, place)
    if rng.random() < site.skip_share:
        return False
    if person.behaviour in OFF_TASK_TEXTS:
        text = str(rng.choice(OFF_TASK_TEXTS[person.behaviour]))
    else:
        text = write_answer(site.keys[place.prompt_id], theta=person.theta, rng=rng)
    browser.save(session, place, text)
    return True
