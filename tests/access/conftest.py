"""Two studies and everybody around them, and a browser for each role."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.http import HttpRequest
from django.template import Engine
from django.template.base import NodeList
from pytest_django import Settings

from benchmarks.hashed_judge.running import judge_server
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import JudgeConfig
from presentation.rail import PageFacts
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, User
from studies.services.banks import item_bank_import
from tests.access.visitors import Visitors
from tests.access.world import World, cookies_of, place_of, prompts_with_files


@pytest.fixture(scope="module")
def design() -> dict[str, Any]:
    """Settings of the world's studies beside the usual ones; a module may have its own."""
    return {}


@pytest.fixture(scope="module")
def prompts() -> Callable[[Path], list[PromptRecord]]:
    """Makes the prompts of the world, with their files in the folder; a module may have its own."""
    return prompts_with_files


@pytest.fixture(scope="module")
def world(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    make_judge: Callable[..., JudgeConfig],
    score_at: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
    now: Any,
    design: dict[str, Any],
    prompts: Callable[[Path], list[PromptRecord]],
) -> World:
    folder = tmp_path_factory.mktemp("access")
    lead = User.objects.create_superuser("lead@example.org")
    asked = prompts(folder)
    items = tuple(ItemParameter(one.prompt_id, a=1.0, b=-n * 3.21) for n, one in enumerate(asked))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    with judge_server(log=folder / "a.log") as one, judge_server(log=folder / "b.log", judge="B") as other:
        judges = (make_judge(one.url, "alpha"), make_judge(other.url, "beta"))
        here, there = (
            place_of(
                make_study(
                    prompts=asked,
                    root=folder,
                    slug=slug,
                    batch_size=len(asked),
                    item_bank=bank,
                    top_size=1,
                    replicates_per_profile=50,
                    practice_prompts=("Add 2 and 2.",),
                    **design,
                ),
                make_person,
                judges,
                score_at,
                lead,
            )
            for slug in ("here", "there")
        )
    made = World(here, there, Path(django_settings.MEDIA_ROOT), Path(django_settings.DATA_DIR))
    made.cookies = cookies_of(here, there, make_person)
    return made


@pytest.fixture
def second_factor(settings: Settings, staff_without_second_factor: None) -> None:
    settings.STAFF_SECOND_FACTOR = True


@pytest.fixture
def visitors(
    world: World, second_factor: None, db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Visitors:
    settings.MEDIA_ROOT, settings.DATA_DIR = world.media, world.data
    # Each refusal would be logged, and pytest would keep each record with its whole request.
    monkeypatch.setattr(logging.getLogger("django.request"), "disabled", True)
    return Visitors(world.cookies)


@pytest.fixture
def brief_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of refusals are empty where nobody reads them: most answers are such, with a rail each."""
    for name in (
        "403.html", "404.html", "studies/study_page_refused.html", "studies/site_page_refused.html",
    ):  # fmt: skip
        # Django keeps the template that it read, and renders this one again.
        monkeypatch.setattr(Engine.get_default().get_template(name), "nodelist", NodeList())


@pytest.fixture
def brief_rails(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands around each page of the study team is the same everywhere, and nothing asked changes it."""
    settings.PROVIDERS = {**settings.PROVIDERS, "page_facts": "tests.access.conftest.no_page_facts"}
    for name in ("presentation/_rail.html", "presentation/_switcher.html"):
        monkeypatch.setattr(Engine.get_default().get_template(name), "nodelist", NodeList())


def no_page_facts(_request: HttpRequest, _study: Study | None) -> PageFacts:
    return PageFacts(frozenset(), {}, clock_is_held=False)
