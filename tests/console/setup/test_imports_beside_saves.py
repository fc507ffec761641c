"""While an import stores its rows, others can write: it holds no lock from one slice to the next."""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.db import connection

from formats.item_parameters import ItemParameter, ItemParameters
from scoring.models import ModelConfiguration
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.selectors.leaderboards import models_on
from scoring.services.leaderboards import leaderboard_import, model_drafts_clear
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.models import BankVersion, ItemBank
from studies.services import banks
from studies.services.banks import bank_import, item_bank_import

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = 2_500


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Somebody writes, without waiting, each time that the import says how far it is."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows, not the whole of it")
    monkeypatch.setattr("studies.services.database.time.sleep", lambda seconds: None)

    def write(_done: int = 0, _of: int = 0) -> None:
        with sqlite3.connect(connection.settings_dict["NAME"], timeout=0) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE studies_user SET is_active = is_active")
            seen.append((BankVersion.objects.count(), ItemBank.objects.count()))

    seen: list[tuple[int, int]] = []
    write.seen = seen  # type: ignore[attr-defined]
    return write


def test_a_bank_is_stored_in_slices_and_seen_when_it_is_whole(
    others: Callable[[int, int], None], now: datetime
) -> None:
    prompts = tuple(PromptRecord(prompt_id=f"p{n}", text="Q?", gold_answer="1") for n in range(ROWS))
    reading = BankReading(bank=BankRecord(format="chiron", prompts=prompts), problems=(), root=Path())
    bank_import(slug="large", reading=reading, strict=True, now=now, progress=others)
    assert len(others.seen) > ROWS / 250  # type: ignore[attr-defined]
    assert {versions for versions, _ in others.seen} == {0}  # type: ignore[attr-defined]
    assert BankVersion.objects.get().prompts.count() == ROWS


def item_parameters() -> ItemParameters:
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.0) for n in range(ROWS))
    return ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)


def test_item_parameters_are_seen_when_they_are_whole(
    others: Callable[[int, int], None], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banks, "ITEMS_A_SLICE", 500)
    monkeypatch.setattr("studies.services.database.time.sleep", lambda seconds: others(0, 0))
    item_bank, created = item_bank_import(slug="items", parameters=item_parameters(), now=now)
    assert created
    assert {number for _, number in others.seen} == {0}  # type: ignore[attr-defined]
    assert item_bank.items.count() == ROWS


def results(score: float) -> ModelResults:
    responses = tuple(
        ModelResponse(model=f"M{model}", prompt_id=f"p{n}", epoch=1, score=score)
        for model in range(2)
        for n in range(ROWS)
    )
    return ModelResults(responses=responses)


def test_results_of_models_are_seen_when_they_are_whole(
    others: Callable[[int, int], None], now: datetime
) -> None:
    item_bank, _ = item_bank_import(slug="items", parameters=item_parameters(), now=now)
    there: list[int] = []

    def progress(done: int, of: int) -> None:
        others(done, of)
        there.append(models_on(item_bank.pk).count())

    given = {"item_bank": item_bank, "source": "A run", "now": now, "progress": progress}
    leaderboard_import(results=results(0.5), replace=False, **given)  # type: ignore[arg-type]
    assert set(there) == {0}
    assert len(there) >= 2 * ROWS / 1_000
    leaderboard_import(results=results(0.25), replace=True, **given)  # type: ignore[arg-type]
    assert models_on(item_bank.pk).count() == 2
    assert ModelConfiguration.objects.count() == 2  # nobody is compared with those of before


def test_what_a_killed_import_of_models_left_goes(now: datetime, others: Callable[[int, int], None]) -> None:
    item_bank, _ = item_bank_import(slug="items", parameters=item_parameters(), now=now)
    leaderboard_import(item_bank=item_bank, results=results(0.5), source="A run", replace=False, now=now)
    ModelConfiguration.objects.filter(name="M1").update(until=0)
    assert [one.name for one in models_on(item_bank.pk)] == ["M0"]
    model_drafts_clear(before=now)
    assert ModelConfiguration.objects.count() == 2
    model_drafts_clear(before=now.replace(year=now.year + 1))
    assert ModelConfiguration.objects.get().name == "M0"
