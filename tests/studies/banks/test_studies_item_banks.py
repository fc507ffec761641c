"""Importing item parameters and judge texts."""

import dataclasses
from datetime import datetime, timedelta

import pytest

from formats.item_parameters import ItemParameter, ItemParameters
from studies.models import Item, ItemBank, JudgeProtocol
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS, JudgeTexts
from studies.selectors.banks import item_bank, item_ids_without_prompts, prompt_ids_without_parameters
from studies.services.banks import (
    bank_import,
    default_judge_protocol,
    item_bank_import,
    judge_protocol_import,
)
from tests.support.bank_readings import prompt, reading_of

pytestmark = pytest.mark.django_db
# --- item parameters and judge texts --------------------------------------------------------------------


PARAMETERS = ItemParameters(
    items=(ItemParameter("one", 1.5, -0.25, "QR-1", "public"), ItemParameter("other", 0.5, 2.0)),
    squeeze_scale=0.998,
    squeeze_offset=0.001,
    sigma_hat=2.5,
    n_models=53,
    r_squared=0.67,
)


def test_item_parameters_are_stored_as_they_are(now: datetime) -> None:
    bank, created = item_bank_import(slug="scale", parameters=PARAMETERS, now=now)
    assert created
    facts = (bank.squeeze_scale, bank.squeeze_offset, bank.sigma_hat, bank.n_models, bank.r_squared)
    assert facts == (0.998, 0.001, 2.5, 53, 0.67)
    rows = bank.items.order_by("prompt_id").values_list("prompt_id", "a", "b", "subcategory", "prompt_set")
    assert list(rows) == [("one", 1.5, -0.25, "QR-1", "public"), ("other", 0.5, 2.0, "", "")]


def test_the_same_parameters_are_stored_once_and_others_beside_them(now: datetime) -> None:
    first, _ = item_bank_import(slug="scale", parameters=PARAMETERS, now=now)
    assert item_bank_import(slug="renamed", parameters=PARAMETERS, now=now) == (first, False)
    other = dataclasses.replace(PARAMETERS, sigma_hat=3.0)
    second, created = item_bank_import(slug="scale", parameters=other, now=now + timedelta(days=1))
    assert created
    assert item_bank("scale") == second
    assert (ItemBank.objects.count(), Item.objects.count()) == (2, 4)


def test_prompts_and_parameters_that_do_not_meet_are_listed(now: datetime) -> None:
    version = bank_import(
        slug="small", reading=reading_of(prompt("two"), prompt("one")), strict=True, now=now
    ).version
    bank, _ = item_bank_import(slug="scale", parameters=PARAMETERS, now=now)
    assert prompt_ids_without_parameters(version, bank) == ["two"]
    assert item_ids_without_prompts(version, bank) == ["other"]


def test_judge_texts_are_stored_once(now: datetime) -> None:
    texts = JudgeTexts(exact="{question}{answer}{predicted_answer}", rubric="r", source="s" * 400)
    first, created = judge_protocol_import(slug="mine", texts=texts, now=now)
    assert created
    assert (first.exact_text, first.rubric_text, len(first.source)) == (texts.exact, "r", 300)
    assert judge_protocol_import(slug="mine", texts=texts, now=now) == (first, False)


def test_the_default_judge_texts_are_there_when_asked_for(now: datetime) -> None:
    protocol = default_judge_protocol(now=now)
    assert (protocol.slug, protocol.sha256) == ("chiron", DEFAULT_JUDGE_TEXTS.sha256)
    assert default_judge_protocol(now=now) == protocol
    assert JudgeProtocol.objects.count() == 1
