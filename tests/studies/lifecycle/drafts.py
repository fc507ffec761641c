"""Studies that are not frozen yet, and their events."""

from datetime import datetime
from pathlib import Path

from studies.bank.building import BankReading
from studies.bank.records import BankRecord, CriterionRecord, PromptRecord
from studies.models import BankVersion, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.studies import study_create

UNCHECKED = CriterionRecord(text="Is clear")


def version_of(now: datetime, *prompts: PromptRecord, slug: str = "bank") -> BankVersion:
    bank = BankRecord(format="chiron", prompts=prompts or (answered("one"),))
    reading = BankReading(bank=bank, problems=(), root=Path())
    return bank_import(slug=slug, reading=reading, strict=True, now=now).version


def answered(prompt_id: str) -> PromptRecord:
    return PromptRecord(prompt_id=prompt_id, text="Which?", gold_answer="this")


def graded(prompt_id: str, *criteria: CriterionRecord) -> PromptRecord:
    return PromptRecord(prompt_id=prompt_id, text="Which?", criteria=criteria)


def draft(
    now: datetime,
    version: BankVersion | None = None,
    closes_at: datetime | None = None,
    opens_at: datetime | None = None,
    actor: User | None = None,
    **settings: object,
) -> Study:
    return study_create(
        slug="pilot",
        name="The pilot",
        bank_version=version or version_of(now),
        item_bank=None,
        judge_protocol=None,
        settings=ProtocolSettings.model_validate(settings),
        opens_at=opens_at,
        closes_at=closes_at,
        actor=actor,
        now=now,
    )
