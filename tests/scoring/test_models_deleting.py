"""Models' results that were imported by mistake are deleted; results that rest on them do not stand."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from formats.item_parameters import ItemParameter, ItemParameters
from jobs.models import Job
from judging.models import ScoringRun
from psychometrics.inference.measure import Block
from scoring.models import MeasureRow, ModelConfiguration, ResultSet
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.services.leaderboards import leaderboard_import
from scoring.services.model_deleting import ResultsStand, models_delete
from scoring.services.model_versions import UNPUBLISHED
from studies.models import ItemBank, Study, StudyEvent, User
from studies.roles import Role
from studies.services.banks import item_bank_import
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db


@pytest.fixture
def item_bank(now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0) for n in (1, 2))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def models(item_bank: ItemBank, now: datetime) -> list[ModelConfiguration]:
    """Two that came with one file."""
    responses = tuple(ModelResponse(name, "p001", 1, 0.5) for name in ("right", "wrong"))
    results = ModelResults(responses=responses, published=(), missing={})
    leaderboard_import(item_bank=item_bank, results=results, source="A file", replace=False, now=now)
    return list(ModelConfiguration.objects.order_by("name"))


@pytest.fixture
def study(make_study: Callable[..., Study], models: list[ModelConfiguration]) -> Study:
    return make_study(item_bank=ItemBank.objects.get())


@pytest.fixture
def resting(study: Study, models: list[ModelConfiguration], now: datetime) -> Study:
    """Results of the study in which one of the models has a place."""
    run = ScoringRun.objects.create(
        study=study, judge_kind="checks", judge={}, judge_sha256="0" * 64, protocol_hash="0" * 64,
        design_hash=study.design_hash, replicate=1, started_at=now,
    )  # fmt: skip
    results = ResultSet.objects.create(run=run, flow={}, computed_at=now)
    MeasureRow.objects.create(
        results=results, scope="all", block=Block.MODELS, name="models.theta.pool", group="average",
        subset="model:wrong", value=0.0,
    )  # fmt: skip
    return study


def test_what_nothing_rests_on_goes_with_its_scores_and_studies_on_the_bank_know(
    study: Study, models: list[ModelConfiguration], now: datetime
) -> None:
    assert models_delete(models=models[1:], recompute=False, actor=None, now=now) == []
    assert [one.name for one in ModelConfiguration.objects.all()] == ["right"]
    event = StudyEvent.objects.get(study=study, kind="models_deleted")
    assert event.details == {"item_bank": "items", "number": 1, "models": ["wrong"]}


def test_models_that_results_rest_on_are_not_deleted_unless_these_are_computed_again(
    resting: Study, models: list[ModelConfiguration], now: datetime
) -> None:
    with pytest.raises(ResultsStand, match="were computed with these models"):
        models_delete(models=models, recompute=False, actor=None, now=now)
    assert ModelConfiguration.objects.count() == 2
    assert not StudyEvent.objects.filter(kind="models_deleted").exists()
    assert models_delete(models=models, recompute=True, actor=None, now=now) == [resting]
    assert not ModelConfiguration.objects.exists()


def test_the_page_asks_with_what_depends_and_starts_the_computation(
    client: Client, resting: Study, models: list[ModelConfiguration]
) -> None:
    client.force_login(User.objects.create_superuser("admin@example.org"))
    address = reverse("staff_model_delete", args=[models[1].pk])
    assert resting.name in client.get(address).content.decode()
    refused = client.post(address, {"which": "all"})
    assert refused.status_code == 422
    assert "Nothing was deleted" in refused.content.decode()
    assert ModelConfiguration.objects.count() == 2
    done = client.post(address, {"which": "one", "recompute": "on"})
    assert done.status_code == 302
    assert [one.name for one in ModelConfiguration.objects.all()] == ["right"]
    assert Job.objects.get().study == resting


def test_results_of_studies_in_which_somebody_may_not_judge_are_left_to_others(
    client: Client, resting: Study, models: list[ModelConfiguration], now: datetime
) -> None:
    maker, _ = staff_add(email="maker@example.org", creates_studies=True)
    client.force_login(maker)
    address = reverse("staff_model_delete", args=[models[1].pk])
    refused = client.post(address, {"which": "one", "recompute": "on"})
    assert refused.status_code == 422
    assert "Ask whoever runs this site to delete them" in refused.text
    for page in (refused.text, client.get(address).text):
        assert resting.name not in page
        assert "in which you have no role" in page
    role_give(study=resting, user=maker, role=Role.ANALYST, now=now)
    assert resting.name in client.get(address).text
    assert client.post(address, {"which": "one", "recompute": "on"}).status_code == 422
    assert ModelConfiguration.objects.count() == 2
    role_give(study=resting, user=maker, role=Role.LEAD, now=now)
    assert client.post(address, {"which": "one", "recompute": "on"}).status_code == 302


def test_nobody_takes_away_what_an_import_of_others_is_storing(
    client: Client, models: list[ModelConfiguration]
) -> None:
    ModelConfiguration.objects.filter(pk=models[1].pk).update(until=UNPUBLISHED)
    client.force_login(staff_add(email="maker@example.org", creates_studies=True)[0])
    address = reverse("staff_model_delete", args=[models[1].pk])
    assert client.get(address).status_code == client.post(address, {"which": "one"}).status_code == 404
    assert ModelConfiguration.objects.count() == 2
