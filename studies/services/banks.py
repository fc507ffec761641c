"""Imports of prompt banks, item parameters and judge texts. What was imported is never changed.

A correction of a bank is its next version; hence a version that a study uses stays as it was, whatever is
imported while the study runs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from formats.item_parameters import ItemParameters
from formats.problems import Problem
from formats.progress import Progress, in_parts, unseen
from studies.bank.building import BankReading
from studies.bank.digest import bank_digest
from studies.bank.labels import prompt_labels
from studies.bank.records import BankRecord, PromptRecord
from studies.models import (
    Attachment,
    Bank,
    BankVersion,
    Criterion,
    Item,
    ItemBank,
    JudgeProtocol,
    Prompt,
    Study,
    User,
)
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS, JudgeTexts
from studies.services.attachment_files import attachments_store, stored_name
from studies.services.events import StudyEventKind
from studies.services.refusals import Refused
from studies.services.site_objects import site_object_change
from studies.services.slugs import require_slug

DEFAULT_JUDGE_SLUG = "chiron"
SOURCE_CHARACTERS = 300
ROWS_PER_INSERT = 500


class _ImportRefused(Refused):
    """Nothing was imported: one sentence, and every problem of the file."""

    def __init__(self, sentence: str, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join([sentence, *(str(problem) for problem in problems)]))


class StrictImportRefused(_ImportRefused):
    """Strictness was asked for and the file has problems."""


class NothingToImport(_ImportRefused):
    """No prompt of the file is usable."""


@dataclass(frozen=True)
class BankImport:
    """The version that holds the content; `created` is False where it was there already."""

    version: BankVersion
    created: bool
    problems: tuple[Problem, ...]


def bank_import(
    *,
    slug: str,
    reading: BankReading,
    strict: bool,
    now: datetime,
    progress: Progress = unseen,
    actor: User | None = None,
) -> BankImport:
    """Store what was read as the bank's next version, unless some version already holds the same content.

    `progress` hears of rows that are prepared and stored, the last time before anything is there for good.

    Raises:
        StrictImportRefused: `strict` and there are problems.
        NothingToImport: no prompt is left.
        AttachmentUnreadable, AttachmentChanged: a file could not be copied.
        UsedByOthers: the content is there, with other names of its categories than locked studies show.
    """
    require_slug(slug, of="a bank")
    if strict and reading.problems:
        sentence = f"Nothing was imported; problems found: {len(reading.problems)}"
        raise StrictImportRefused(sentence, reading.problems)
    if not reading.bank.prompts:
        raise NothingToImport("Nothing was imported: no usable prompt was found.", reading.problems)
    digest = bank_digest(reading.bank)
    existing = BankVersion.objects.select_related("bank").filter(bank__slug=slug, digest=digest).first()
    if existing:
        _names_update(existing, reading, now, actor)
        return BankImport(existing, created=False, problems=reading.problems)
    # Files first: rows never point to a file that is not there.
    files = (attachment for prompt in reading.bank.prompts for attachment in prompt.attachments)
    attachments_store(attachments=files, base_dir=reading.root)
    # And rows before the transaction: on SQLite nobody else writes while it lasts.
    rows = list(_prompt_rows(reading.bank, in_parts(progress, 0, 2)))
    return _add_version(slug, digest, reading, rows, now, in_parts(progress, 1, 2))


@transaction.atomic
def _names_update(version: BankVersion, reading: BankReading, now: datetime, actor: User | None) -> None:
    """The names of categories are labels: a file of the same content may give others.

    Raises UsedByOthers where locked studies of others show the names.
    """
    names = dict(reading.bank.category_names)
    if not names or names == version.category_names:
        return
    site_object_change(
        users=Study.objects.filter(bank_version=version).order_by("slug"),
        kind=StudyEventKind.BANK_NAMES_CHANGED,
        refusal=_(
            "Nothing was changed: locked studies in which you may not judge show the names that this bank "
            "gives its categories. Ask whoever runs this site, or import the file under another short name."
        ),
        actor=actor,
        now=now,
        bank=str(version),
        names_before=version.category_names,
        names=names,
    )
    version.category_names = names
    version.save(update_fields=["category_names"])


@transaction.atomic
def _add_version(
    slug: str, digest: str, reading: BankReading, rows: Sequence[Prompt], now: datetime, progress: Progress
) -> BankImport:
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
        category_names=dict(reading.bank.category_names),
        problems=[str(problem) for problem in reading.problems],
        imported_at=now,
    )
    _prompts_insert(version, reading.bank, rows, progress)
    return BankImport(version, created=True, problems=reading.problems)


def _prompt_rows(bank: BankRecord, progress: Progress) -> Iterator[Prompt]:
    """The prompts without what their version gives them."""
    for position, record in enumerate(bank.prompts, start=1):
        progress(position - 1, len(bank.prompts))
        values = record.model_dump(exclude={"criteria", "attachments", "labels"})
        yield Prompt(position=position, labels=list(record.labels), modality=record.modality, **values)


def _prompts_insert(
    version: BankVersion, bank: BankRecord, rows: Sequence[Prompt], progress: Progress
) -> None:
    """Insert prompts, criteria and attachments of a new version; their files must be stored already."""
    earlier = Prompt.objects.filter(version__bank=version.bank).order_by("version__number")
    kept = dict(earlier.values_list("prompt_id", "label"))
    labels = prompt_labels([record.prompt_id for record in bank.prompts], digest=version.digest, kept=kept)
    for row in rows:
        row.version, row.label = version, labels[row.prompt_id]
    for start in range(0, len(rows), ROWS_PER_INSERT):
        piece = slice(start, start + ROWS_PER_INSERT)
        prompts = Prompt.objects.bulk_create(rows[piece])
        pairs = list(zip(prompts, bank.prompts[piece], strict=True))
        criteria = (row for prompt, record in pairs for row in _criteria(prompt, record))
        Criterion.objects.bulk_create(criteria, batch_size=ROWS_PER_INSERT)
        attachments = (row for prompt, record in pairs for row in _attachments(prompt, record))
        Attachment.objects.bulk_create(attachments, batch_size=ROWS_PER_INSERT)
        progress(start + len(prompts), len(rows))


def _criteria(prompt: Prompt, record: PromptRecord) -> Iterable[Criterion]:
    for position, criterion in enumerate(record.criteria, start=1):
        rule = criterion.check.model_dump(mode="json") if criterion.check else None
        yield Criterion(prompt=prompt, position=position, text=criterion.text, check_rule=rule)


def _attachments(prompt: Prompt, record: PromptRecord) -> Iterable[Attachment]:
    for position, attachment in enumerate(record.attachments, start=1):
        same = attachment.model_dump(exclude={"path"})
        yield Attachment(prompt=prompt, position=position, file=stored_name(attachment), **same)


@transaction.atomic
def item_bank_import(*, slug: str, parameters: ItemParameters, now: datetime) -> tuple[ItemBank, bool]:
    """The item bank with this content, and whether it is new. Equal content is stored once."""
    require_slug(slug, of="an item bank")
    values = asdict(parameters)  # fields of both records are called as the columns are
    items = values.pop("items")
    item_bank, created = ItemBank.objects.get_or_create(
        digest=parameters.digest, defaults={**values, "slug": slug, "imported_at": now}
    )
    if created:
        rows = (Item(item_bank=item_bank, **item) for item in items)
        Item.objects.bulk_create(rows, batch_size=ROWS_PER_INSERT)
    return item_bank, created


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
