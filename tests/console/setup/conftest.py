"""What tests of the set-up share: a lead's browser, the fixtures' bank, forms as the pages show them."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse

from console.forms.steps import STEP_FORMS
from studies.bank.building import BankReading
from studies.bank.records import BankRecord
from studies.models import Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.drafts import draft_sha256
from studies.services.studies import study_create
from tests.support.made_rows import plain_prompts

BANK = Path(django_settings.BASE_DIR) / "fixtures" / "demo_bank"
Save = Callable[..., Any]


@pytest.fixture
def draft(lead: User, now: datetime) -> Study:
    """A study in draft on six plain questions."""
    bank = BankRecord(format="chiron", prompts=tuple(plain_prompts(6)))
    reading = BankReading(bank=bank, problems=(), root=Path())
    return study_create(
        slug="draft", name="A draft", item_bank=None, judge_protocol=None, settings=ProtocolSettings(),
        bank_version=bank_import(slug="six", reading=reading, strict=True, now=now).version,
        now=now, actor=lead,
    )  # fmt: skip


def shown_values(study: Study, page: str) -> dict[str, Any]:
    """What a browser would send of a page that nobody has changed."""
    form = STEP_FORMS[page](study)
    values: dict[str, Any] = {"seen": study.protocol_hash or draft_sha256(study, form.names())}
    values |= {name: _sent(form[name].value()) for name in form.fields}
    for name, rows in form.rows.items():
        for bound in (rows.management_form, *rows.forms):
            values |= {bound.add_prefix(field): _sent(bound[field].value()) for field in bound.fields}
        values.setdefault(f"{name}-TOTAL_FORMS", 0)
    return {name: value for name, value in values.items() if value is not None and value is not False}


def _sent(value: Any) -> Any:
    if value is True:
        return "on"
    if hasattr(value, "strftime"):
        return value.strftime("%Y-%m-%dT%H:%M")
    return getattr(value, "pk", value)


@pytest.fixture
def save(staff: Client) -> Save:
    """Send one page of the set-up with some values changed."""

    def send(study: Study, page: str, **changed: Any) -> Any:
        study.refresh_from_db()
        values = {**shown_values(study, page), **changed}
        address = reverse("staff_setup_save", args=[study.slug, page])
        return staff.post(address, {name: value for name, value in values.items() if value is not None})

    return send
