"""A bank in memory as rows, a few inserts for any number of prompts."""

from collections.abc import Iterable

from studies.bank.labels import prompt_labels
from studies.bank.records import BankRecord, PromptRecord
from studies.models import Attachment, BankVersion, Criterion, Prompt
from studies.services.attachment_files import stored_name

ROWS_PER_INSERT = 500


def prompts_insert(*, version: BankVersion, bank: BankRecord) -> None:
    """Insert prompts, criteria and attachments of a new version; their files must be stored already."""
    earlier = Prompt.objects.filter(version__bank=version.bank).order_by("version__number")
    kept = dict(earlier.values_list("prompt_id", "label"))
    labels = prompt_labels([one.prompt_id for one in bank.prompts], digest=version.digest, kept=kept)
    rows = [
        _prompt(version, position, labels[record.prompt_id], record)
        for position, record in enumerate(bank.prompts, start=1)
    ]
    prompts = Prompt.objects.bulk_create(rows, batch_size=ROWS_PER_INSERT)
    pairs = list(zip(prompts, bank.prompts, strict=True))
    criteria = (row for prompt, record in pairs for row in _criteria(prompt, record))
    Criterion.objects.bulk_create(criteria, batch_size=ROWS_PER_INSERT)
    attachments = (row for prompt, record in pairs for row in _attachments(prompt, record))
    Attachment.objects.bulk_create(attachments, batch_size=ROWS_PER_INSERT)


def _prompt(version: BankVersion, position: int, label: str, record: PromptRecord) -> Prompt:
    same = record.model_dump(exclude={"criteria", "attachments", "labels"})
    return Prompt(
        version=version,
        position=position,
        label=label,
        labels=list(record.labels),
        modality=record.modality,
        **same,
    )


def _criteria(prompt: Prompt, record: PromptRecord) -> Iterable[Criterion]:
    for position, criterion in enumerate(record.criteria, start=1):
        rule = criterion.check.model_dump(mode="json") if criterion.check else None
        yield Criterion(prompt=prompt, position=position, text=criterion.text, check_rule=rule)


def _attachments(prompt: Prompt, record: PromptRecord) -> Iterable[Attachment]:
    for position, attachment in enumerate(record.attachments, start=1):
        same = attachment.model_dump(exclude={"path"})
        yield Attachment(prompt=prompt, position=position, file=stored_name(attachment), **same)
