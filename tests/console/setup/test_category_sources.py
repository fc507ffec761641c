"""Where question bank and item bank name different categories, a study says which holds everywhere."""

import json
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import BatchPlan
from batches.selectors.plans import plan_matches, prompt_traits
from batches.services.plans import batches_build
from console.selectors.questions import study_questions
from console.views.setup import step_facts
from formats.canonical import canonical_sha256
from formats.item_parameters import ItemParameter, ItemParameters
from jobs.services.working import jobs_work
from scoring.selectors.export_answers import prompt_rows
from scoring.selectors.scopes import bank_sizes
from studies.models import BankVersion, ItemBank, Prompt, Study, StudyEvent
from studies.protocol.fingerprint import BESIDE_DESIGN, CAME_LATER, design_hash
from studies.protocol.settings import ProtocolSettings
from studies.roles import Can, Role
from studies.services.amendments import AmendmentRefused, study_amend
from studies.services.banks import item_bank_import
from studies.services.readiness import CategoriesUndecided
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from studies.services.studies import study_freeze, study_update_settings
from tests.console.setup.conftest import Save
from tests.support.told import TOLD

pytestmark = pytest.mark.django_db
NAMES = {"QR": "Quantitative reasoning", "PR": "Procedures"}


def item_bank(now: datetime, *subcategories: str, slug: str = "items") -> ItemBank:
    """Of the draft's questions p001 and so on, which its bank puts into QR."""
    items = tuple(
        ItemParameter(f"p{n:03d}", 1.0, n / 4, name) for n, name in enumerate(subcategories, start=1)
    )
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug=slug, parameters=parameters, now=now)[0]


@pytest.fixture
def study(draft: Study, now: datetime) -> Study:
    """Two of six questions are in another category in the item bank that it may choose."""
    BankVersion.objects.update(category_names=NAMES)
    item_bank(now, "QR-WP", "PR-EX", "QR-WP", "PR-EX", "QR-WP")
    settings = ProtocolSettings.model_validate({"batch_size": 3, "judge_kind": "checks"})
    return study_update_settings(study=draft, settings=settings, now=now)


def fresh(study: Study) -> Study:
    return Study.objects.get(pk=study.pk)


def chosen(study: Study, save: Save, **answer: Any) -> Study:
    assert (
        save(fresh(study), "items", item_bank=ItemBank.objects.get(slug="items").pk, **answer).status_code
        == 302
    )
    return fresh(study)


def test_choosing_an_item_bank_lists_every_disagreement_by_name_and_asks(
    study: Study, save: Save, staff: Client, now: datetime
) -> None:
    page = reverse("staff_setup_step", args=[study.slug, "items"])
    assert "Whose categories hold" not in staff.get(page).text
    study = chosen(study, save, go="next")
    assert study.protocol.category_source is None
    shown = staff.get(page).text
    assert "Whose categories hold" in shown
    table = shown.split('id="disagreements-heading"')[1]
    assert table.count("Quantitative reasoning") == table.count("Procedures") == 2
    assert "put 2 questions into different categories: say which holds" in shown
    staff.post(reverse("staff_questions_build", args=[study.slug]))
    jobs_work(clock=timezone.now)
    built = staff.get(reverse("staff_questions_sets", args=[study.slug])).text
    assert "put 2 questions into different categories" in built
    assert "question bank Quantitative reasoning, item bank Procedures" in built
    assert not BatchPlan.objects.exists()
    with pytest.raises(CategoriesUndecided):
        study_freeze(study=study, now=now)
    assert chosen(study, save, category_source="question_bank").protocol.category_source == "question_bank"
    assert "say which holds" not in staff.get(page).text


def test_that_the_list_names_private_questions_stands_in_the_history(
    study: Study, save: Save, staff: Client
) -> None:
    study = chosen(study, save)
    private = Prompt.objects.get(prompt_id="p002")
    seen = StudyEvent.objects.filter(study=study, kind="private_seen")
    page = reverse("staff_setup_step", args=[study.slug, "items"])
    assert private.label in staff.get(page).text
    assert not seen.exists()
    Prompt.objects.filter(pk=private.pk).update(split="private")
    staff.get(page)
    assert [one.details for one in seen] == [{"question": private.label}]


def test_who_does_not_see_which_reads_how_many_there_are_however_many_are_listed(
    study: Study, save: Save, staff: Client, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_facts, "LISTED", 1)
    chosen(study, save)
    page = reverse("staff_setup_step", args=[study.slug, "items"])
    assert "and 1 more question" in staff.get(page).text
    user, _is_new = staff_add(email="analyst@example.org")
    role_give(study=study, user=user, role=Role.ANALYST, now=now)
    analyst = Client()
    analyst.force_login(user)
    assert "2 questions; leads of the study see which." in analyst.get(page).text


@pytest.mark.parametrize(("source", "moved"), [("item_bank", "PR"), ("question_bank", "QR")])
def test_sets_pages_results_and_exports_use_the_same_category(
    source: str, moved: str, study: Study, save: Save, now: datetime
) -> None:
    chosen(study, save)
    study = chosen(study, save, category_source=source)
    batches_build(study=study, now=now)
    study = study_freeze(study=study, now=now)
    wanted = ["QR", moved, "QR", moved, "QR", "QR"]
    assert [one.category for one in prompt_traits(study)] == wanted
    assert [one.category for one in study_questions(study, frozenset(Can))] == wanted
    assert [one.result_category for one in prompt_rows(study)] == wanted
    assert {one.category for one in prompt_rows(study)} == {"QR"}  # what the bank itself says is there, too
    assert sum(bank_sizes(study).values()) == 5
    assert bank_sizes(study)[moved] == (5 if moved == "QR" else 2)
    with pytest.raises(AmendmentRefused, match="category_source"):
        study_amend(study=study, changes={"category_source": None}, reason="Other categories.", now=now)


def test_another_bank_is_asked_about_again_and_another_answer_needs_other_sets(
    study: Study, save: Save, now: datetime
) -> None:
    chosen(study, save)
    study = chosen(study, save, category_source="item_bank")
    plan = batches_build(study=study, now=now)
    assert plan_matches(plan, study)
    study = chosen(study, save, category_source="question_bank")
    assert not plan_matches(plan, study)
    other = item_bank(now, "PR-EX", slug="other")
    assert save(study, "items", item_bank=other.pk, category_source="question_bank").status_code == 302
    assert fresh(study).protocol.category_source is None


def test_banks_that_agree_are_not_asked_about_and_hashes_of_before_stay(study: Study, now: datetime) -> None:
    bank = item_bank(now, "QR-WP", "", "QR", slug="agreeing")
    Study.objects.filter(pk=study.pk).update(item_bank=bank)
    study = fresh(study)
    batches_build(study=study, now=now)
    assert study_freeze(study=study, now=now).status == "frozen"
    digests: dict[str, Any] = {"bank_digest": "b", "item_bank_digest": "i", "judge_protocol_hash": "j"}
    later = {*CAME_LATER, *BESIDE_DESIGN}
    before = ProtocolSettings().model_dump(mode="json", exclude=later)
    of_before = {"settings": before, "bank": "b", "item_bank": "i", "judge_protocol": "j"}
    assert design_hash(ProtocolSettings(), **digests) == canonical_sha256(of_before)
    answered = ProtocolSettings(category_source="item_bank")
    assert design_hash(answered, **digests) != canonical_sha256(of_before)


def test_a_study_locked_before_it_was_asked_keeps_the_item_banks_word(
    study: Study, save: Save, now: datetime
) -> None:
    study = chosen(study, save)
    Study.objects.filter(pk=study.pk).update(status="frozen", protocol_hash="0" * 64)
    study = fresh(study)
    batches_build(study=study, now=now)
    assert [one.category for one in prompt_traits(study)][:2] == ["QR", "PR"]


def run(command: str, *args: str, **options: Any) -> str:
    out = StringIO()
    call_command(command, *args, stdout=out, stderr=out, **options)
    return out.getvalue()


def test_the_commands_list_the_four_questions_that_move_in_the_published_bank(shared_data: Path) -> None:
    folder = shared_data / "gim"
    if not (folder / "appendix_c.jsonl").is_file():
        pytest.skip("the published questions are not here")
    run("import_bank", "gim", str(folder / "appendix_c.jsonl"), slug="gim")
    said = "put into different categories: 4"
    assert said in run("import_item_bank", str(folder / "irt_params.json"), slug="items", bank="gim")
    protocol = json.dumps({"batch_size": 5})
    created = run("create_study", "pilot", bank="gim", item_bank="items", protocol=protocol)
    assert said in created
    assert created.count(": question bank ") == 4
    with pytest.raises(CommandError, match="does not say which holds"):
        run("build_batches", "pilot")
    run("update_study", "pilot", protocol=json.dumps({"category_source": "question_bank", **TOLD}))
    run("build_batches", "pilot")
    categories = {one.category for one in prompt_traits(Study.objects.get())}
    assert categories == {"LR", "WK", "SI", "LN", "QR", "CT", "PR"}
    assert "frozen under protocol" in run("freeze_study", "pilot")
