"""Imports of prompt banks, item parameters and judge texts. What was imported is never changed.

A correction of a bank is its next version; hence a version that a study uses stays as it was, whatever is
imported while the study runs.
"""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from formats.item_parameters import ItemParameters
from formats.problems import Problem, grouped
from formats.progress import Progress, unseen
from studies.bank.building import BankReading
from studies.bank.digest import bank_digest, prompt_labels
from studies.bank.records import BankRecord
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
from studies.services.database import one_of_many_writes
from studies.services.events import StudyEventKind
from studies.services.refusals import Refused
from studies.services.site_objects import site_object_change
from studies.services.slugs import require_slug

DEFAULT_JUDGE_SLUG = "chiron"
SOURCE_CHARACTERS = 300
ROWS_PER_INSERT = 500
# Questions stored in one transaction: with their criteria some tens of milliseconds.
ROWS_A_SLICE = 100
ITEMS_A_SLICE = 2_000


class _ImportRefused(Refused):
    """Nothing was imported: one sentence, and every problem of the file."""

    def __init__(self, sentence: str, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join([sentence, *map(str, grouped(problems))]))


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
        sentence = f"Nothing was imported; problems found: {len(reading.problems):,}"
        raise StrictImportRefused(sentence, reading.problems)
    if not reading.bank.prompts:
        raise NothingToImport("Nothing was imported: no usable prompt was found.", reading.problems)
    digest = bank_digest(reading.bank)
    existing = BankVersion.objects.select_related("bank").filter(bank__slug=slug, digest=digest).first()
    if existing:
        _names_update(existing, reading, now, actor)
        return BankImport(existing, created=False, problems=reading.problems)
    while True:
        draft = _draft(slug, digest, reading, now, actor)
        try:
            # After the draft, which keeps files from whoever deletes a bank, and before the rows: these never
            # point to a file that is not there.
            files = (attachment for prompt in reading.bank.prompts for attachment in prompt.attachments)
            attachments_store(attachments=files, base_dir=reading.root)
            kept = _labels(draft.bank)
            _prompts_insert(draft, reading.bank, kept, progress)
            version = _publish(draft, kept)
        except BaseException:
            draft_remove(draft)
            raise
        if version != draft:
            draft_remove(draft)
        if version is not None:
            return BankImport(version, created=version == draft, problems=reading.problems)


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
def _draft(slug: str, digest: str, reading: BankReading, now: datetime, actor: User | None) -> BankVersion:
    """The bank's next version, which nobody sees yet."""
    bank, _created = Bank.objects.get_or_create(slug=slug, defaults={"created_at": now})
    return BankVersion.everything.create(
        bank=bank,
        is_published=False,
        number=0,
        format=reading.bank.format,
        digest=digest,
        canaries=list(reading.bank.canaries),
        category_names=dict(reading.bank.category_names),
        problems=[str(problem) for problem in reading.problems],
        imported_at=now,
        imported_by=actor,
    )


@transaction.atomic
def _publish(draft: BankVersion, kept: dict[str, str]) -> BankVersion | None:
    """Let everybody see the draft, as its bank's next version. None where another version came meanwhile and
    gave questions other labels; that version where it has the same content.
    """
    bank = Bank.objects.select_for_update().get(pk=draft.bank_id)
    same = bank.versions.filter(digest=draft.digest).first()
    if same is not None or _labels(bank) != kept:
        return same
    draft.number, draft.is_published = bank.versions.count() + 1, True
    draft.save(update_fields=["number", "is_published"])
    return draft


def draft_remove(draft: BankVersion) -> None:
    """Delete a version that was never published, and its bank where that holds nothing else."""
    if BankVersion.objects.filter(pk=draft.pk).exists():
        return  # published after whoever asks had looked
    prompts = Prompt.objects.filter(version=draft)
    for start in range(
        0, (prompts.order_by("-position").values_list("position", flat=True).first() or 0), ROWS_A_SLICE
    ):
        piece = prompts.filter(position__gt=start, position__lte=start + ROWS_A_SLICE)
        with one_of_many_writes():
            for rows in (Attachment, Criterion):
                rows.objects.filter(prompt__in=piece).delete()
            # Nothing else refers to questions of a draft: Django need not look for it in every table.
            piece._raw_delete(piece.db)
    with transaction.atomic():
        BankVersion.everything.filter(pk=draft.pk).delete()
        bank_remove_if_empty(draft.bank_id)


def bank_remove_if_empty(bank: int) -> None:
    """Delete a bank that holds no version, not even one that is being imported."""
    Bank.objects.filter(pk=bank).exclude(pk__in=BankVersion.everything.values("bank")).delete()


def drafts_clear(*, before: datetime) -> int:
    """Delete what imports left that were killed: drafts begun before that moment. Return how many."""
    banks = list(BankVersion.everything.filter(is_published=False, imported_at__lt=before))
    for draft in banks:
        draft_remove(draft)
    item_banks = list(ItemBank.everything.filter(is_published=False, imported_at__lt=before))
    for item_bank in item_banks:
        item_bank_draft_remove(item_bank)
    return len(banks) + len(item_banks)


def _labels(bank: Bank) -> dict[str, str]:
    """What the versions of a bank call its questions, by their ids; the newest decides."""
    earlier = Prompt.objects.filter(version__bank=bank, version__is_published=True)
    return dict(earlier.order_by("version__number").values_list("prompt_id", "label"))


def _prompts_insert(version: BankVersion, bank: BankRecord, kept: dict[str, str], progress: Progress) -> None:
    """Insert prompts, criteria and attachments of a draft; their files must be stored already."""
    labels = prompt_labels([record.prompt_id for record in bank.prompts], digest=version.digest, kept=kept)
    progress(0, len(bank.prompts))
    for start in range(0, len(bank.prompts), ROWS_A_SLICE):
        records = bank.prompts[start : start + ROWS_A_SLICE]
        prompts, criteria, attachments = [], [], []
        for position, record in enumerate(records, start=start + 1):
            values = record.model_dump(exclude={"criteria", "attachments", "labels"})
            facts = {"labels": list(record.labels), "modality": record.modality, **values}
            label = labels[record.prompt_id]
            prompt = Prompt(version=version, label=label, position=position, **facts)
            prompts.append(prompt)
            for place, criterion in enumerate(record.criteria, start=1):
                rule = criterion.check.model_dump(mode="json") if criterion.check else None
                criteria.append(
                    Criterion(prompt=prompt, position=place, text=criterion.text, check_rule=rule)
                )
            for place, attachment in enumerate(record.attachments, start=1):
                same = attachment.model_dump(exclude={"path"})
                attachments.append(
                    Attachment(prompt=prompt, position=place, file=stored_name(attachment), **same)
                )
        with one_of_many_writes():
            Prompt.objects.bulk_create(prompts)
            Criterion.objects.bulk_create(criteria, batch_size=ROWS_PER_INSERT)
            Attachment.objects.bulk_create(attachments, batch_size=ROWS_PER_INSERT)
        progress(start + len(prompts), len(bank.prompts))


def item_bank_import(
    *, slug: str, parameters: ItemParameters, now: datetime, actor: User | None = None
) -> tuple[ItemBank, bool]:
    """The item bank with this content, and whether it is new. Equal content is stored once."""
    require_slug(slug, of="an item bank")
    stored = ItemBank.objects.filter(digest=parameters.digest)
    if (same := stored.first()) is not None:
        return same, False
    values = asdict(parameters)  # fields of both records are called as the columns are
    items = values.pop("items")
    draft = ItemBank.everything.create(
        **values, slug=slug, digest=parameters.digest, is_published=False, imported_at=now, imported_by=actor
    )
    try:
        for start in range(0, len(items), ITEMS_A_SLICE):
            rows = [Item(item_bank=draft, **item) for item in items[start : start + ITEMS_A_SLICE]]
            with one_of_many_writes():
                Item.objects.bulk_create(rows, batch_size=ROWS_PER_INSERT)
        draft.is_published = True
        with transaction.atomic():
            draft.save(update_fields=["is_published"])
    except IntegrityError:
        item_bank_draft_remove(draft)
        if (same := stored.first()) is None:
            raise
        return same, False  # another import of the same content was faster
    except BaseException:
        item_bank_draft_remove(draft)
        raise
    return draft, True


def item_bank_draft_remove(draft: ItemBank) -> None:
    """Delete item parameters that were never published."""
    if ItemBank.objects.filter(pk=draft.pk).exists():
        return  # published after whoever asks had looked
    while ids := list(Item.objects.filter(item_bank=draft).values_list("pk", flat=True)[:ITEMS_A_SLICE]):
        with one_of_many_writes():
            Item.objects.filter(pk__in=ids).delete()
    ItemBank.everything.filter(pk=draft.pk).delete()


def judge_protocol_import(
    *, slug: str, texts: JudgeTexts, now: datetime, actor: User | None = None
) -> tuple[JudgeProtocol, bool]:
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
            "imported_by": actor,
        },
    )


def default_judge_protocol(*, now: datetime) -> JudgeProtocol:
    """The judge protocol in this project's own wording."""
    protocol, _created = judge_protocol_import(slug=DEFAULT_JUDGE_SLUG, texts=DEFAULT_JUDGE_TEXTS, now=now)
    return protocol
