"""The study of the releases as it begins: its prompts, item parameters, scores of models and protocol."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from batches.services.plans import batches_build
from formats.item_parameters import ItemParameter, ItemParameters
from scoring.readers.model_results.records import ModelResponse, ModelResults, PublishedAbility
from scoring.services.leaderboards import leaderboard_import
from studies.bank.attachments import read_attachment
from studies.bank.building import BankReading
from studies.bank.records import AttachmentRecord, BankRecord, CriterionRecord, PromptRecord
from studies.models import ItemBank, Study, User
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import, item_bank_import
from studies.services.studies import study_create, study_freeze

SLUG = "kept"
BEGAN = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
PICTURE = Path(__file__).resolve().parents[2] / "fixtures" / "demo_bank" / "media" / "floor-plan.png"
PROMPTS, PRIVATE = 12, 4
RUBRIC = (CriterionRecord(text="Names the number."), CriterionRecord(text="Says how it was found."))


def after(**passed: float) -> datetime:
    """A moment of the story, counted from its beginning."""
    return BEGAN + timedelta(**passed)


def study_make(lead: User) -> Study:
    names = [f"p{n:02d}" for n in range(1, PROMPTS + 1)]
    items = tuple(ItemParameter(name, a=0.8 + n / 10, b=n / 4 - 1.5) for n, name in enumerate(names[:-1]))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = item_bank_import(slug="kept-items", parameters=parameters, now=BEGAN)
    models_import(item_bank, names)
    bank = BankRecord(format="chiron", prompts=tuple(map(prompt, names)), canaries=("canary GUID 0000",))
    reading = BankReading(bank=bank, problems=(), root=PICTURE.parent)
    version = bank_import(slug="kept-bank", reading=reading, strict=True, now=BEGAN).version
    protocol = ProtocolSettings(
        batch_size=PROMPTS,
        replicates_per_profile=4,
        top_size=2,
        comprehension_check=True,
        note_per_prompt=True,
        confidence_per_prompt=True,
        prompt_order="random",
        second_share=None,
    )
    facts: dict[str, Any] = {
        "bank_version": version,
        "item_bank": item_bank,
        "judge_protocol": None,
        "settings": protocol,
    }
    study_create(slug="draft", name="A draft", **facts, now=BEGAN)
    study = study_create(
        slug=SLUG, name="Kept – Größe", **facts, closes_at=after(days=20), now=BEGAN, actor=lead
    )
    batches_build(study=study, now=BEGAN, actor=lead)
    return study_freeze(study=study, now=BEGAN, actor=lead)


def prompt(name: str) -> PromptRecord:
    number = int(name[1:])
    return PromptRecord(
        prompt_id=name,
        text=f"What is {number} times π, **roughly**?",
        text_format="markdown",
        gold_answer=str(3 * number),
        criteria=RUBRIC if number % 2 else (),
        category=("QR", "LR")[number % 3 == 0],
        labels=("long",) if number % 4 == 0 else (),
        split="private" if number <= PRIVATE else "public",
        attachments=(picture(),) if number == PROMPTS else (),
    )


def picture() -> AttachmentRecord:
    return read_attachment(PICTURE.name, root=PICTURE.parent, bases=[PICTURE.parent], max_bytes=100_000)


def models_import(item_bank: ItemBank, names: list[str]) -> None:
    scores = [(model, name, epoch) for model in range(3) for name in names for epoch in range(2)]
    responses = tuple(
        ModelResponse(
            f"model {model}", name, epoch, ((model + 2) * int(name[1:]) + epoch) % 5 / 4, "family", "judge"
        )
        for model, name, epoch in scores
    )
    published = (PublishedAbility("model 9", 1.25, 0.1, 5, "A figure", "family"),)
    leaderboard_import(
        item_bank=item_bank,
        results=ModelResults(responses, published),
        source="Invented",
        replace=False,
        now=BEGAN,
    )
