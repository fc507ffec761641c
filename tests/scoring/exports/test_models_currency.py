"""Models that come or go make results say that they are not current, whatever else is under way."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from formats.progress import Progress, unseen
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring, results_recompute
from scoring.models import ModelConfiguration, ResultSet
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.selectors.runs import changes_since
from scoring.services.leaderboards import leaderboard_import
from scoring.services.measurement import measurement_compute
from scoring.services.model_deleting import models_delete
from studies.models import ItemBank, Participant, Study
from studies.services.banks import item_bank_import
from tests.support.measuring import only_blocks
from tests.support.taking_models import newest_models_taken

pytestmark = pytest.mark.django_db
TAKEN = "newer results of models that were taken over"
DELETED = "1 deletion of models"


@pytest.fixture(scope="module", autouse=True)
def measures_of_models() -> Iterator[None]:
    with only_blocks(Block.MODELS):
        yield


@pytest.fixture
def item_bank(now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0) for n in (1, 2))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def study(
    item_bank: ItemBank,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Study:
    """Scored and measured while one model was there."""
    imported(item_bank, now)
    study = make_study(slug="pilot", judge_kind="checks", top_size=1, item_bank=item_bank)
    for text in ("1", "2"):
        work(make_person(study), {"p001": text, "p002": "2"})
    score_at(study, clock=lambda: now + timedelta(days=1))
    return study


@pytest.fixture
def later(now: datetime) -> datetime:
    return now + timedelta(days=2)


def imported(
    item_bank: ItemBank, now: datetime, name: str = "first", score: float = 0.5, progress: Progress = unseen
) -> None:
    responses = tuple(ModelResponse(name, f"p{n:03d}", 1, score) for n in (1, 2))
    results = ModelResults(responses=responses)
    leaderboard_import(
        item_bank=item_bank, results=results, source="A file", replace=True, now=now, progress=progress
    )


def taken(now: datetime, name: str = "first", score: float = 0.5) -> None:
    """Imported, and taken over by the study's lead."""
    bank = ItemBank.objects.get()
    imported(bank, now, name, score)
    newest_models_taken(bank, now)


def deleted(now: datetime) -> None:
    models_delete(models=list(ModelConfiguration.objects.all()), recompute=True, actor=None, now=now)


def changes(study: Study) -> list[str]:
    return changes_since(ResultSet.objects.filter(run__study=study).latest("pk"))


def models_measured(study: Study) -> set[str]:
    rows = ResultSet.objects.filter(run__study=study).latest("pk").measures.filter(block=Block.MODELS)
    return set(rows.filter(subset__startswith="model:").values_list("subset", flat=True))


def recomputed(study: Study, at: datetime, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Recompute; `meanwhile` happens once, when the models are read and their measures not stored yet."""
    waiting = [meanwhile]

    def said(block: Block, done: int, of: int) -> None:
        if waiting:
            waiting.pop()()

    results_recompute(study=study, actor=None, clock=lambda: at, measuring=said, step=lambda done, of: None)


def test_results_say_that_models_were_taken_over_or_deleted_until_they_are_recomputed(
    study: Study, later: datetime, staff: Client
) -> None:
    page = f"/staff/studies/{study.slug}/results/"
    assert changes(study) == []
    happenings: list[tuple[Callable[[datetime], None], str]] = [
        (lambda at: taken(at, "second"), TAKEN),
        (lambda at: taken(at, "second", 0.75), TAKEN),
        (deleted, DELETED),
    ]
    for number, (happens, said) in enumerate(happenings):
        happens(later + timedelta(days=number))
        assert changes(study) == [said]
        shown = staff.get(page).text
        assert said in shown
        assert "Press <strong>Recompute</strong>" in shown
        recomputed(study, later + timedelta(days=number, hours=1))
        assert changes(study) == []
        assert said not in staff.get(page).text
    assert models_measured(study) == set()


def test_the_same_file_again_changes_no_results(study: Study, item_bank: ItemBank, later: datetime) -> None:
    imported(item_bank, later)
    assert changes(study) == []


@pytest.mark.parametrize(
    ("happens", "said"),
    [(deleted, DELETED), (lambda at: taken(at, "late"), TAKEN)],
    ids=["deleted", "taken"],
)
def test_what_happens_to_models_during_a_recompute_is_said_after_it(
    study: Study, later: datetime, happens: Callable[[datetime], None], said: str
) -> None:
    taken(later, "second")  # so that there is something to compute
    moment = later + timedelta(hours=1)
    recomputed(study, moment, meanwhile=lambda: happens(moment + timedelta(seconds=1)))
    assert models_measured(study) == {"model:first", "model:second"}
    assert changes(study) == [said]
    recomputed(study, moment + timedelta(hours=1))
    assert changes(study) == []


def test_measuring_again_by_the_command_counts_as_well(study: Study, later: datetime) -> None:
    taken(later, "second")
    results = ResultSet.objects.latest("pk")
    measurement_compute(results=results, now=later + timedelta(hours=1), resamples=20)
    assert changes(study) == []


@pytest.mark.django_db(transaction=True)
def test_a_recompute_goes_on_beside_an_import_and_sees_nothing_of_it(
    study: Study, item_bank: ItemBank, later: datetime
) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def held(done: int, of: int) -> None:
        inside.set()
        go_on.wait(30)

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=2) as pool:
        importing = pool.submit(run, lambda: imported(item_bank, later, "second", progress=held))
        assert inside.wait(30)
        recomputing = pool.submit(run, lambda: recomputed(study, later + timedelta(seconds=1)))
        recomputing.result(60)  # what is stored slice by slice is not there before it is published
        go_on.set()
        importing.result(30)
    assert models_measured(study) == {"model:first"}  # the study's own, until its lead takes the newest over
    assert changes(study) == []
