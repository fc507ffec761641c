"""No write to an object of the site changes what a locked study of others rests on, by any address or job.

Every address that somebody who may make studies can write to has its attack (`attacks`): one without fails
the walk.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory

from jobs.registry import kinds
from judging.models import JudgeConfig
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_plan, run_start
from scoring.models import ModelConfiguration
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.services.leaderboards import leaderboard_import
from studies.models import BankVersion, Participant, Study, User
from studies.roles import Role, SiteCan
from studies.services.banks import item_bank_import
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from tests.access.addresses import Address, addresses
from tests.access.attacks import (
    ATTACKS,
    ITEMS,
    NOT_THEIRS,
    OF_JOBS,
    PROMPTS,
    Theirs,
    bank_renamed,
    judge_changed,
    models_deleted,
)

pytestmark = pytest.mark.django_db
SCORES = ModelResults(responses=tuple(ModelResponse("M", name, 1, 0.5) for name in PROMPTS))
# Writes that reach nothing that studies share: studies of one's own, and a question that is on no record.
REACH_NOTHING = {"staff_study_new", "staff_demo_study", "staff_judge_try", "staff_planner"}
IDS = {
    "slug": "alpha",
    "number": 1,
    "judge_texts": 1,
    "member": 1,
    "upload": "0" * 32,
    "job_id": "00000000-0000-0000-0000-000000000000",
}


@pytest.fixture
def theirs(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., object],
    client: Client,
    now: datetime,
) -> Theirs:
    bank, _ = item_bank_import(slug="items", parameters=ITEMS, now=now)
    leaderboard_import(item_bank=bank, results=SCORES, source="A paper", replace=False, now=now)
    study = make_study(prompts=len(PROMPTS), slug="theirs", item_bank=bank, judge_kind="llm")
    BankVersion.objects.update(category_names={"QR": "Quantities"})
    work(make_person(study), {"p001": "1", "p002": "2"})
    settings = JudgeSettings(base_url="https://judge.example/v1", model="judge-1")
    judge = judge_add(slug="alpha", settings=settings, actor=None, now=now)
    specs = study_judge_specs(study=study, configs=[judge])
    plan = run_plan(study=study, specs=specs, now=now, progress=lambda done, total: None)
    run_start(plan=plan, budget=None, actor=None, now=now)
    outsider, _ = staff_add(email="outsider@example.org", creates_studies=True)
    client.force_login(outsider)
    return Theirs(study, client, JudgeConfig.objects.get(), now)


def of_site(one: Address) -> bool:
    return one.route.startswith("staff/") and "staff/studies/<" not in one.route


def test_every_address_and_job_that_an_outsider_can_write_to_has_its_attack(theirs: Theirs) -> None:
    writable, model = set(), ModelConfiguration.objects.get().pk
    settings = JudgeSettings(base_url="https://judge.example/v1", model="judge-1")
    outsider = User.objects.get(email="outsider@example.org")
    own = judge_add(slug="own", settings=settings, actor=outsider, now=theirs.now)
    for one in filter(of_site, addresses()):
        path = one.path(IDS).replace("/models/1/", f"/models/{model}/")
        path = path.replace("/delete/judge-texts/1/", f"/delete/judge/{own.pk}/")
        if theirs.client.post(path).status_code not in (403, 404, 405):
            writable.add(one.name)
    assert writable - REACH_NOTHING == set(ATTACKS)
    assert {kind.name for kind in kinds().values() if isinstance(kind.can, SiteCan)} == set(OF_JOBS)
    assert set(OF_JOBS.values()) <= set(ATTACKS) | REACH_NOTHING


def test_studies_of_others_take_nothing_from_an_outsider(theirs: Theirs) -> None:
    for one in addresses():
        if "staff/studies/<slug:slug>/" in one.route and one.route.count("<") == 1:
            path = f"/{one.route.replace('<slug:slug>', theirs.study.slug)}"
            assert theirs.client.post(path).status_code in (404, 405), path


@pytest.mark.parametrize("name", list(ATTACKS))
def test_what_a_locked_study_of_others_rests_on_stays(name: str, theirs: Theirs) -> None:
    before, (attack, comes) = theirs.basis(), ATTACKS[name]
    for text in attack(theirs):
        assert comes in text
        assert theirs.basis() == before


@pytest.mark.parametrize(
    ("attack", "kind"),
    [
        (bank_renamed, "bank_names_changed"),
        (judge_changed, "judge_changed"),
        (models_deleted, "models_deleted"),
    ],
)
def test_a_lead_may_change_what_only_the_own_study_uses_and_its_trail_says_so(
    attack: Callable[[Theirs], Any], kind: str, theirs: Theirs, now: datetime
) -> None:
    lead = User.objects.get(email="outsider@example.org")
    role_give(study=theirs.study, user=lead, role=Role.LEAD, now=now)
    before = theirs.basis()
    assert NOT_THEIRS not in next(attack(theirs))
    assert theirs.basis() != before
    assert theirs.study.events.get(kind=kind).actor == lead


def test_the_records_change_nothing_even_for_who_runs_the_site() -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("admin@example.org")
    for model, records in admin.site._registry.items():
        rights = records.get_model_perms(request)
        assert {name for name, has in rights.items() if has} <= {"view"}, model
