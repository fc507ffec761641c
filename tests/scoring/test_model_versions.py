"""A locked study keeps the results of models of its lock until a lead takes newer ones over."""

from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from reporting.report.parts import Facts
from reporting.selectors.report_records import study_records
from reporting.views.report.protocol import protocol_parts
from scoring import migrations
from scoring.coordinator import Scoring, results_recompute
from scoring.models import Measurement, ModelConfiguration, ModelScore
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.selectors.export_results import model_rows, model_score_rows
from scoring.selectors.leaderboards import model_changes, models_of
from scoring.services.leaderboards import leaderboard_import
from scoring.services.model_versions import NoNewerModels, models_take
from studies.models import ItemBank, Participant, Study, StudyEvent, User
from studies.roles import Role
from studies.services.banks import item_bank_import
from studies.services.staff.roles import role_give

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank(now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0) for n in (1, 2))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank = item_bank_import(slug="items", parameters=parameters, now=now)[0]
    imported(bank, now, old=0.5)
    return bank


def imported(bank: ItemBank, at: datetime, **scores: float) -> None:
    responses = tuple(ModelResponse(name, f"p{n:03d}", 1, p) for name, p in scores.items() for n in (1, 2))
    results = ModelResults(responses=responses)
    leaderboard_import(item_bank=bank, results=results, source="A file", replace=True, now=at)


@pytest.fixture
def study(make_study: Callable[..., Study], bank: ItemBank) -> Study:
    return make_study(slug="pilot", judge_kind="checks", top_size=1, item_bank=bank)


def scores_of(study: Study) -> dict[str, float | None]:
    rows = ModelScore.objects.filter(configuration__in=models_of(study).values("pk"))
    return dict(rows.values_list("configuration__name", "score"))


def test_what_is_replaced_or_added_after_the_lock_makes_a_version_that_drafts_have_and_the_study_has_not(
    study: Study, bank: ItemBank, now: datetime
) -> None:
    draft = Study.objects.create(
        slug="draft", name="Draft", bank_version=study.bank_version, item_bank=bank,
        settings=study.settings, created_at=now,
    )  # fmt: skip
    imported(bank, now, old=0.75, new=1.0)
    assert scores_of(study) == {"old": 0.5}
    assert scores_of(draft) == {"old": 0.75, "new": 1.0}
    assert [row.model for row in model_rows(study)] == ["old"]
    assert {row.score for row in model_score_rows(study)} == {0.5}
    told = {one.study.slug: one.details for one in StudyEvent.objects.filter(kind="models_imported")}
    assert told["pilot"]["used"] is False
    assert told["draft"] == {
        "item_bank": "items", "version": 2, "used": True, "added": ["new"], "replaced": ["old"]
    }  # fmt: skip
    imported(bank, now, old=0.25)  # what was replaced twice is a version of its own each time
    assert scores_of(study) == {"old": 0.5}


def test_a_lead_takes_them_over_on_the_page_of_the_study_and_its_trail_says_so(
    study: Study, bank: ItemBank, now: datetime, client: Client
) -> None:
    imported(bank, now, old=0.75, new=1.0)
    analyst, lead = (
        User.objects.create_user(f"{name}@example.org", is_staff=True) for name in ("an", "lead")
    )
    role_give(study=study, user=analyst, role=Role.ANALYST, now=now)
    role_give(study=study, user=lead, role=Role.LEAD, now=now)
    page, take = (
        reverse("staff_setup_step", args=["pilot", "items"]),
        reverse("staff_models_take", args=["pilot"]),
    )
    client.force_login(analyst)
    assert "Take them over" not in client.get(page).text
    assert client.post(take, {"seen": 2}).status_code == 403
    client.force_login(lead)
    shown = client.get(page).text
    assert "Newer results of models are there, version 2." in shown
    imported(bank, now, third=1.0)
    assert "Look at them first" in client.post(take, {"seen": 2}, follow=True).text
    assert scores_of(Study.objects.get(pk=study.pk)) == {"old": 0.5}
    assert "are taken over" in client.post(take, {"seen": 3}, follow=True).text
    assert scores_of(Study.objects.get(pk=study.pk)) == {"old": 0.75, "new": 1.0, "third": 1.0}
    event = StudyEvent.objects.get(kind="models_taken")
    assert (event.actor, event.details) == (
        lead,
        {
            "item_bank": "items", "version": 3, "version_before": 1, "number": 3,
            "added": ["new", "third"], "replaced": ["old"],
        },
    )  # fmt: skip
    assert "Take them over" not in client.get(page).text
    assert "no newer results of models" in client.post(take, {"seen": 3}, follow=True).text


def test_the_command_takes_them_over_as_well_and_an_import_names_it(
    study: Study, bank: ItemBank, now: datetime, tmp_path: Any
) -> None:
    file = tmp_path / "models.jsonl"
    file.write_text('{"model": "new", "prompt_id": "p001", "epoch": 1, "score": 1}')
    out = StringIO()
    call_command("import_models", "items", str(file), source="A file", stdout=out)
    assert "pilot is locked and keeps what it had; its lead runs: take_models pilot" in out.getvalue()
    call_command("take_models", "pilot", stdout=out)
    assert (
        "pilot has version 2 of the results of models on items: 1 new, 0 other than before." in out.getvalue()
    )
    with pytest.raises(CommandError, match="no newer results of models"):
        call_command("take_models", "pilot", stdout=out)


def test_a_draft_has_nothing_to_take_over(study: Study, bank: ItemBank, now: datetime) -> None:
    imported(bank, now, new=1.0)
    Study.objects.filter(pk=study.pk).update(status="draft", models_version=None)
    study.refresh_from_db()
    assert model_changes(study) is None
    with pytest.raises(NoNewerModels):
        models_take(study=study, seen=None, now=now)


def test_results_and_report_say_which_version_they_rest_on(
    study: Study,
    bank: ItemBank,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    staff: Client,
    now: datetime,
) -> None:
    for text in ("1", "2"):
        work(make_person(study), {"p001": text, "p002": "2"})
    score_at(study, clock=lambda: now + timedelta(days=1))
    assert Measurement.objects.latest("pk").models_version == 1
    imported(bank, now + timedelta(days=2), old=0.75)
    page = reverse("staff_measurement", args=["pilot", "models"])
    assert "Results of models on items: version 1." in staff.get(page).text
    assert (
        "Newer results of models are there, version 2."
        in staff.get(reverse("staff_results", args=["pilot"])).text
    )
    assert facts_of(study)["Results of models"] == "version 1"
    models_take(study=study, seen=2, now=now + timedelta(days=3))
    assert facts_of(study)["Results of models"] == "version 1 in these results; version 2 from now on"
    results_recompute(study=Study.objects.get(), actor=None, clock=lambda: now + timedelta(days=4))
    assert "Results of models on items: version 2." in staff.get(page).text
    assert facts_of(study)["Results of models"] == "version 2"


def facts_of(study: Study) -> dict[str, str]:
    records = study_records(Study.objects.get(pk=study.pk))
    return next(dict(part.rows) for part in protocol_parts(records) if isinstance(part, Facts))


def test_an_upgrade_pins_locked_studies_to_what_there_is(study: Study, bank: ItemBank, now: datetime) -> None:
    draft = Study.objects.create(
        slug="draft", name="Draft", bank_version=study.bank_version, item_bank=bank,
        settings=study.settings, created_at=now,
    )  # fmt: skip
    ModelConfiguration.objects.update(since=0)
    ItemBank.objects.update(models_version=0)
    Study.objects.update(models_version=None)
    (name,) = (path.stem for path in Path(migrations.__file__).parent.glob("*_studies_are_pinned.py"))
    import_module(f"{migrations.__name__}.{name}").pin(apps, None)
    for one in (study, draft, bank):
        one.refresh_from_db()
    assert (bank.models_version, study.models_version, draft.models_version) == (1, 1, None)
    imported(bank, now, old=0.75)
    assert (scores_of(study), scores_of(draft)) == ({"old": 0.5}, {"old": 0.75})
