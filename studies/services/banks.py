"""Imports of prompt banks, item parameters and judge texts. What was imported is never changed.

A correction of a bank is its next version; hence a version that a study uses stays as it was, whatever is
imported while the study runs.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from formats.item_parameters import ItemParameter, ItemParameters
from formats.problems import Problem
from studies.bank.building import BankReading
from studies.bank.digest import bank_digest
from studies.models import Bank, BankVersion, Item, ItemBank, JudgeProtocol
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS, JudgeTexts
from studies.services.attachment_files import attachments_store
from studies.services.bank_rows import ROWS_PER_INSERT, prompts_insert
from studies.services.refusals import Refused
from studies.services.slugs import require_slug

DEFAULT_JUDGE_SLUG = "chiron"
SOURCE_CHARACTERS = 300


class StrictImportRefused(Refused):
    """Strictness was asked for and the file has problems."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        lines = [str(problem) for problem in problems]
        super().__init__("\n".join([f"Nothing was imported; problems found: {len(lines)}", *lines]))


class NothingToImport(Refused):
    """No prompt of the file is usable."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        lines = [str(problem) for problem in problems]
        super().__init__("\n".join(["Nothing was imported: no usable prompt was found.", *lines]))


@dataclass(frozen=True)
class BankImport:
    """The version that holds the content; `created` is False where it was there already."""

    version: BankVersion
    created: bool
    problems: tuple[Problem, ...]


def bank_import(*, slug: str, reading: BankReading, strict: bool, now: datetime) -> BankImport:
    """Store what was read as the bank's next version, unless some version already holds the same content.

    Raises:
        StrictImportRefused: `strict` and there are problems.
        NothingToImport: no prompt is left.
        AttachmentUnreadable, AttachmentChanged: a file could not be copied.
    """
    require_slug(slug, of="a bank")
    if strict and reading.problems:
        raise StrictImportRefused(reading.problems)
    if not reading.bank.prompts:
        raise NothingToImport(reading.problems)
    digest = bank_digest(reading.bank)
    existing = BankVersion.objects.select_related("bank").filter(bank__slug=slug, digest=digest).first()
    if existing:
        return BankImport(existing, created=False, problems=reading.problems)
    # Files first: rows never point to a file that is not there.
    files = (attachment for prompt in reading.bank.prompts for attachment in prompt.attachments)
    attachments_store(attachments=files, base_dir=reading.root)
    return _add_version(slug, digest, reading, now)


@transaction.atomic
def _add_version(slug: str, digest: str, reading: BankReading, now: datetime) -> BankImport:
    Bank.objects.get_or_create(slug=slug, defaults={"created_at": now})
    bank = Bank.objects.select_for_update().get(slug=slug)
    existing = bank.versions.filter(digest=digest).first()
    if existing:  # another import of the same content was faster
        return BankImport(existing, created=False, problems=reading.problems)
    version = BankVersion.objects.create(
        bank=bank,
        number=bank.versions.count() + 1,
        format=reading.bank.format,
        digest=digest,
        canaries=list(reading.bank.canaries),
        problems=[str(problem) for problem in reading.problems],
        imported_at=now,
    )
    prompts_insert(version=version, bank=reading.bank)
    return BankImport(version, created=True, problems=reading.problems)


@transaction.atomic
def item_bank_import(*, slug: str, parameters: ItemParameters, now: datetime) -> tuple[ItemBank, bool]:
    """The item bank with this content, and whether it is new. Equal content is stored once."""
    require_slug(slug, of="an item bank")
    item_bank, created = ItemBank.objects.get_or_create(
        digest=parameters.digest,
        defaults={
            "slug": slug,
            "squeeze_scale": parameters.squeeze_scale,
            "squeeze_offset": parameters.squeeze_offset,
            "sigma_hat": parameters.sigma_hat,
            "n_models": parameters.n_models,
            "r_squared": parameters.r_squared,
            "response_model": parameters.response_model,
            "imported_at": now,
        },
    )
    if created:
        Item.objects.bulk_create(
            (_item(item_bank, item) for item in parameters.items), batch_size=ROWS_PER_INSERT
        )
    return item_bank, created


def _item(item_bank: ItemBank, item: ItemParameter) -> Item:
    return Item(
        item_bank=item_bank,
        prompt_id=item.prompt_id,
        a=item.a,
        b=item.b,
        subcategory=item.subcategory,
        prompt_set=item.prompt_set,
    )


def judge_protocol_import(*, slug: str, texts: JudgeTexts, now: datetime) -> tuple[JudgeProtocol, bool]:
    """The judge protocol with these texts, and whether it is new. Equal texts are stored once."""
    require_slug(slug, of="a judge protocol")
    return JudgeProtocol.objects.get_or_create(
        sha256=texts.sha256,
        defaults={
            "slug": slug,
            "exact_text": texts.exact,
            "rubric_text": texts.rubric,
            "source": texts.source[:SOURCE_CHARACTERS],
            "imported_at": now,
        },
    )


def default_judge_protocol(*, now: datetime) -> JudgeProtocol:
    """The judge protocol in this project's own wording."""
    protocol, _created = judge_protocol_import(slug=DEFAULT_JUDGE_SLUG, texts=DEFAULT_JUDGE_TEXTS, now=now)
    return protocol
