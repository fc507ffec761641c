"""A study from an empty site to the public bundle through pages alone, by people with different parts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from operations.rehearsal.mailbox import Mailbox
from tests.e2e.console_walk.bundle import (
    bundle_is_recomputed,
    bundle_is_taken,
    bundle_is_whole,
    bundle_names_nobody,
    report_is_taken,
)
from tests.e2e.console_walk.colleagues import People, enter
from tests.e2e.console_walk.making import (
    banks_are_uploaded,
    lead_is_added,
    publication_is_settled,
    roles_are_given,
    study_is_locked,
)
from tests.e2e.console_walk.people import (
    ANSWERING,
    INVITED,
    all_are_approved,
    answers_the_set,
    applies,
    gets_ready,
    list_is_invited,
)
from tests.e2e.console_walk.reviewing import (
    filter_is_run,
    results_are_current,
    results_are_recomputed,
    study_is_judged,
    verdict_is_changed,
    verdict_is_given,
)


@pytest.fixture
def people(new_device: Callable[..., BrowserContext], mailbox: Mailbox) -> People:
    return People(new_device, mailbox)


# The walk itself: what a busy machine takes to start a server is not part of it.
@pytest.mark.timeout(600, func_only=True)
@pytest.mark.flaky(reruns=0)  # it makes what a second try would find there
def test_a_study_from_an_empty_site_to_the_public_bundle_by_pages_alone(
    people: People, data_folder: Path, tmp_path: Path
) -> None:
    lead_is_added(people.first_administrator(), people)
    lead = people.colleague("lead")
    banks_are_uploaded(lead)
    study_is_locked(lead)
    roles_are_given(lead, people)
    publication_is_settled(lead)

    coordinator = people.colleague("coordinator")
    enter(coordinator)
    list_is_invited(coordinator, people)
    for name in INVITED:
        applies(people, name, data_folder / "mail")
    all_are_approved(coordinator)
    for name in INVITED:
        gets_ready(people.browser_of(name))
        answers_the_set(people.browser_of(name), solves=name in ANSWERING)

    filter_is_run(lead)
    reviewer = people.colleague("reviewer")
    enter(reviewer)
    verdict_is_given(reviewer, people)
    study_is_judged(lead)
    results_are_current(lead, len(INVITED))
    verdict_is_changed(reviewer, "The same word everywhere: no answer")
    results_are_recomputed(lead)

    analyst = people.colleague("analyst")
    enter(analyst)
    results_are_current(analyst, len(ANSWERING))
    bundle = bundle_is_taken(analyst, tmp_path)
    bundle_is_whole(bundle)
    bundle_names_nobody(bundle)
    assert "Everything that could be computed agrees." in bundle_is_recomputed(bundle)
    assert report_is_taken(analyst, tmp_path).startswith(b"%PDF")
    assert people.complaints == []
