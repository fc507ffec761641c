"""Private questions on the pages of the study team: who sees them, and that looking leaves an event."""

import csv
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from batches.models import BatchPlan
from batches.selectors.plans import PUBLIC_REPORT, plan_report
from formats.item_parameters import ItemParameter, ItemParameters
from jobs.services.working import jobs_work
from scoring.selectors.scopes import hidden_items
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, CriterionRecord, PromptRecord
from studies.models import Participant, Prompt, Study, StudyEvent, User
from studies.roles import Can, Role
from studies.selectors.private_questions import private_labels
from studies.services.banks import bank_import, item_bank_import
from studies.services.people.messages import announcement_make, message_send
from studies.services.readiness import StudyNotReady, require_ready
from studies.services.staff.roles import role_give
from tests.access.forms_shown import forms_of
from tests.access.test_blindness import filled

pytestmark = pytest.mark.django_db
NAMES = ("open-1", "open-2", "open-3", "kept-back")


@pytest.fixture
def study(make_study: Callable[..., Study], now: datetime) -> Study:
    items = tuple(ItemParameter(name, a=1.0, b=float(n)) for n, name in enumerate(NAMES))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    prompts = [
        PromptRecord(
            prompt_id=name, text=f"What is {name}?", gold_answer=f"it is {name}", category="QR",
            criteria=(CriterionRecord(text=f"Says {name}."),),
            split="private" if name == "kept-back" else "public",
        )
        for name in NAMES
    ]  # fmt: skip
    return make_study(prompts=prompts, slug="pilot", batch_size=2, item_bank=bank)


@pytest.fixture
def private(study: Study) -> Prompt:
    return Prompt.objects.get(prompt_id="kept-back")


@pytest.fixture
def sign_in(study: Study, now: datetime) -> Callable[..., Client]:
    """Of a member of the team with this role, or of whoever has none and these rights of the site."""

    def made(role: Role | None, **rights: Any) -> Client:
        user = User.objects.create_user(f"{role or 'site'}@example.org", is_staff=True, **rights)
        if role:
            role_give(study=study, user=user, role=role, now=now)
        client = Client()
        client.force_login(user)
        return client

    return made


def seen(study: Study) -> list[tuple[str, dict[str, Any]]]:
    events = StudyEvent.objects.filter(study=study, kind="private_seen").order_by("pk")
    return [(one.actor.email if one.actor else "", one.details) for one in events]


def text_of(response: Any) -> str:
    content: bytes = response.getvalue() if response.streaming else response.content
    return content.decode()


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"))))


def test_an_analyst_lists_and_opens_public_questions_and_is_told_how_many_others_there_are(
    study: Study, private: Prompt, sign_in: Callable[..., Client]
) -> None:
    analyst, base = sign_in(Role.ANALYST), f"/staff/studies/{study.slug}/questions/"
    page = analyst.get(base).content.decode()
    assert "1 question of this bank is private: leads see it." in page
    assert "private (" not in analyst.get(base, {"flag": "no_parameters"}).content.decode().replace("(0)", "")
    listed = [row["prompt_id"] for row in rows_of(analyst.get(base, {"format": "csv"}).content)]
    assert listed == ["open-1", "open-2", "open-3"]
    assert rows_of(analyst.get(base, {"format": "csv", "q": "kept"}).content) == []
    assert analyst.get(f"{base}{private.label}/").status_code == 404
    assert seen(study) == []


def test_a_lead_sees_all_of_it_and_an_analyst_reads_in_the_history_that_somebody_looked(
    study: Study, private: Prompt, sign_in: Callable[..., Client]
) -> None:
    lead, base = sign_in(Role.LEAD), f"/staff/studies/{study.slug}/"
    for _ in range(2):
        assert "Says kept-back." in lead.get(f"{base}questions/{private.label}/").content.decode()
    listed = [row["prompt_id"] for row in rows_of(lead.get(f"{base}questions/?format=csv").content)]
    assert listed == list(NAMES)
    assert seen(study) == [("lead@example.org", {"question": private.label})]
    assert private.label in lead.get(f"{base}history/").content.decode()
    told = sign_in(Role.ANALYST).get(f"{base}history/").content.decode()
    assert "private questions looked at" in told
    assert private.label not in told


def test_the_filter_of_a_list_that_a_lead_took_names_no_private_question_in_the_history(
    study: Study, private: Prompt, sign_in: Callable[..., Client]
) -> None:
    lead, base = sign_in(Role.LEAD), f"/staff/studies/{study.slug}/"
    lead.get(f"{base}questions/", {"format": "csv", "question": private.label})
    assert f"question={private.label}" in lead.get(f"{base}history/").content.decode()
    analyst = sign_in(Role.ANALYST)
    for asked in ({}, {"format": "csv"}):
        told = text_of(analyst.get(f"{base}history/", asked))
        assert "list" in told
        assert private.label not in told


@pytest.mark.parametrize("slug", ["bank-pilot", "mine"], ids=["a later version", "another bank"])
def test_what_others_add_to_the_banks_of_the_site_makes_no_question_of_a_study_private(
    study: Study, private: Prompt, now: datetime, slug: str
) -> None:
    """The item bank has one question more than the study; somebody uploads all of them as private ones."""
    items = tuple(ItemParameter(name, a=1.0, b=float(n)) for n, name in enumerate((*NAMES, "beyond")))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    study.item_bank, _ = item_bank_import(slug="more", parameters=parameters, now=now)
    study.save()
    labels = set(Prompt.objects.values_list("label", flat=True))
    prompts = tuple(
        PromptRecord(prompt_id=name, text=f"What is {name}?", gold_answer="1", split="private")
        for name in (*NAMES, "beyond")
    )
    reading = BankReading(BankRecord(format="chiron", prompts=prompts), (), Path())
    assert bank_import(slug=slug, reading=reading, strict=True, now=now).created
    assert list(hidden_items(study).values_list("prompt_id", flat=True)) == ["kept-back"]
    assert private_labels(study, labels) == {private.label}


def test_sets_are_told_by_their_public_questions_to_whoever_may_not_see_the_others(
    study: Study, private: Prompt, sign_in: Callable[..., Client]
) -> None:
    plan = BatchPlan.objects.get(study=study)
    whole, public = plan_report(plan, {Can.SEE_PRIVATE}), plan_report(plan, set())
    assert whole
    assert public
    [holding] = private.places.values_list("batch__number", flat=True)
    difficulty = {one.prompt_id: float(n) for n, one in enumerate(Prompt.objects.order_by("position"))}
    for before, after in zip(whole["batches"], public["batches"], strict=True):
        places = plan.batches.get(number=before["number"]).places.values_list("prompt__prompt_id", flat=True)
        rest = [difficulty[name] for name in places if name != "kept-back"]
        assert before["size"] == after["size"] == 2
        assert after["mean_difficulty"] == pytest.approx(sum(rest) / len(rest))
        assert sum(after["categories"].values()) == (1 if before["number"] == holding else 2)
    page = sign_in(Role.ANALYST).get(f"/staff/studies/{study.slug}/questions/sets/").content.decode()
    assert "are those of their public questions" in page


def test_sets_of_a_version_that_kept_no_report_on_their_public_questions_get_one(
    study: Study, private: Prompt, sign_in: Callable[..., Client]
) -> None:
    plan = BatchPlan.objects.get(study=study)
    kept = plan.report
    BatchPlan.objects.update(report={name: value for name, value in kept.items() if name != PUBLIC_REPORT})
    analyst, address = sign_in(Role.ANALYST), f"/staff/studies/{study.slug}/questions/sets/"
    page = analyst.get(address).text
    assert "Report on the public questions of the sets" in page
    assert "are those of their public questions" not in page
    analyst.get(address)
    assert jobs_work(clock=timezone.now) == 1
    plan.refresh_from_db()
    assert plan.report == kept
    assert "are those of their public questions" in analyst.get(address).text


def test_a_coordinator_learns_no_label_from_messages_and_announcements(
    study: Study, private: Prompt, make_person: Callable[..., Participant], sign_in: Callable[..., Client],
    now: datetime,
) -> None:  # fmt: skip
    person, base = make_person(study), f"/staff/studies/{study.slug}/"
    message_send(participant=person, text="Unclear", now=now, prompt_label=private.label)
    lead = sign_in(Role.LEAD)
    maker = User.objects.get(email="lead@example.org")
    announcement_make(study=study, text="Mended.", prompt_label=private.label, actor=maker, now=now)
    coordinator = sign_in(Role.COORDINATOR)
    pages = [f"{base}messages/{person.code}/", f"{base}announcements/", f"{base}announcements/?format=csv"]
    for page in pages:
        assert private.label not in text_of(coordinator.get(page))
        assert private.label in text_of(lead.get(page))
    sent = {"text": "About it.", "audience": "in_session", "prompt_label": private.label}
    refused = coordinator.post(f"{base}announcements/", sent)
    assert (refused.status_code, study.announcements.count()) == (422, 1)
    assert f"No question of this study has the label {private.label}" in refused.content.decode()


def test_whoever_may_make_studies_sees_of_a_bank_what_is_public_until_they_lead_a_study_on_it(
    study: Study, private: Prompt, sign_in: Callable[..., Client], now: datetime
) -> None:
    version = study.bank_version
    page = f"/staff/banks/{version.bank.slug}/{version.number}/"
    maker = sign_in(None, may_create_studies=True)
    told = maker.get(page).content.decode()
    assert "1 question of this bank is private" in told
    assert ("open-1" in told, "kept-back" in told, private.label in told) == (True, False, False)
    user = User.objects.get(email="site@example.org")
    role_give(study=study, user=user, role=Role.LEAD, now=now)
    assert "kept-back" in maker.get(page).content.decode()
    assert seen(study) == [("site@example.org", {"question": private.label})]


def test_nobody_comes_to_private_questions_of_others_by_a_study_of_their_own(
    study: Study, make_study: Callable[..., Study], sign_in: Callable[..., Client], now: datetime
) -> None:
    """Neither by a new study on their bank, nor by choosing it for a draft, nor after adding a version."""
    maker, version = sign_in(None, may_create_studies=True), study.bank_version
    added = PromptRecord(prompt_id="kept-back", text="?", gold_answer="1", split="private")
    reading = BankReading(BankRecord(format="chiron", prompts=(added,)), (), Path())
    later = bank_import(slug=version.bank.slug, reading=reading, strict=True, now=now).version
    for number, chosen in enumerate((version, later)):
        sent = {"name": "Mine", "slug": f"mine-{number}", "bank_version": chosen.pk}
        refused = maker.post("/staff/new-study/", sent)
        assert refused.status_code == 422
        assert "Ask a lead of such a study" in refused.content.decode()
    open_bank = make_study(slug="open").bank_version
    maker.post("/staff/new-study/", {"name": "Mine", "slug": "mine", "bank_version": open_bank.pk})
    page = "/staff/studies/mine/setup/questions/"
    form = filled(next(one for one in forms_of(maker.get(page).text, page) if one.path.endswith("/save/")))
    refused = maker.post(f"{page}save/", {**form, "bank_version": version.pk})
    assert (refused.status_code, Study.objects.get(slug="mine").bank_version) == (422, open_bank)
    role_give(study=study, user=User.objects.get(email="site@example.org"), role=Role.LEAD, now=now)
    assert maker.post(f"{page}save/", {**form, "bank_version": version.pk}).status_code == 302


def test_a_site_administrator_reads_the_records_and_leaves_an_event(
    study: Study, private: Prompt, sign_in: Callable[..., Client]
) -> None:
    client = sign_in(None, is_superuser=True)
    assert "kept-back" in client.get("/admin/studies/prompt/").content.decode()
    assert client.get(f"/admin/studies/prompt/{private.pk}/change/").status_code == 200
    public = Prompt.objects.exclude(pk=private.pk)[0]
    client.get(f"/admin/studies/prompt/{public.pk}/change/")
    assert seen(study) == [("site@example.org", {"question": private.label})]


def test_what_keeps_a_study_from_being_locked_names_no_private_question(study: Study) -> None:
    Prompt.objects.filter(prompt_id__in=("open-2", "kept-back")).update(gold_answer=None)
    settings = study.protocol.model_copy(update={"judge_kind": "match", "match_rules": "bbh"})
    with pytest.raises(StudyNotReady) as refusal:
        require_ready(study, settings)
    assert refusal.value.sentences[0].startswith("open-2 and 1 more: the judge")
    Prompt.objects.filter(prompt_id="open-2").update(gold_answer="2")
    with pytest.raises(StudyNotReady) as refusal:
        require_ready(study, settings)
    assert refusal.value.sentences[0].startswith("1 private prompt: the judge")
