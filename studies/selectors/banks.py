"""Reads of what is asked and what answers are measured with."""

import math

from django.db.models import Count, QuerySet

from studies.models import BankVersion, Item, ItemBank, JudgeProtocol, Prompt, Study, StudyStatus
from studies.protocol.settings import ProtocolSettings
from studies.selectors.private_questions import of_public


def bank_version(slug: str, number: int | None = None) -> BankVersion | None:
    """The numbered version of a bank, or its newest one."""
    versions = BankVersion.objects.select_related("bank").filter(bank__slug=slug).order_by("-number")
    if number is not None:
        versions = versions.filter(number=number)
    return versions.first()


def item_bank(slug: str) -> ItemBank | None:
    """The newest item parameters under this name."""
    return ItemBank.objects.filter(slug=slug).order_by("-imported_at", "-id").first()


def judge_protocol(slug: str) -> JudgeProtocol | None:
    """The newest judge texts under this name."""
    return JudgeProtocol.objects.filter(slug=slug).order_by("-imported_at", "-id").first()


def prompt_ids_without_parameters(
    version: BankVersion, parameters: ItemBank, *, public_only: bool = False
) -> list[str]:
    """Prompts the scale says nothing about, in the bank's order."""
    known = Item.objects.filter(item_bank=parameters).values("prompt_id")
    prompts = Prompt.objects.filter(version=version).exclude(prompt_id__in=known)
    if public_only:
        prompts = prompts.filter(of_public())
    return list(prompts.values_list("prompt_id", flat=True))


def item_ids_without_prompts(version: BankVersion, parameters: ItemBank) -> list[str]:
    """Calibrated prompts that are not in the bank version, sorted."""
    present = Prompt.objects.filter(version=version).values("prompt_id")
    items = Item.objects.filter(item_bank=parameters).exclude(prompt_id__in=present)
    return list(items.order_by("prompt_id").values_list("prompt_id", flat=True))


def studies_on_other_versions(version: BankVersion) -> QuerySet[Study]:
    """Frozen studies of the same bank that keep their own, different version."""
    return (
        Study.objects.filter(status=StudyStatus.FROZEN, bank_version__bank=version.bank)
        .exclude(bank_version=version)
        .select_related("bank_version__bank")
        .order_by("slug")
    )


def item_banks_with_sizes() -> list[tuple[ItemBank, int]]:
    """All stored banks with the number of their items, by name, the newest of a name first."""
    banks = ItemBank.objects.annotate(size=Count("items")).order_by("slug", "-imported_at", "-pk")
    return [(bank, bank.size) for bank in banks]


def mean_square(item_bank: ItemBank) -> float:
    """Of its items' discriminations, the mean of the squares. A database's own mean has other last digits
    with every order in which it finds the rows.
    """
    squares = [a * a for a in item_bank.items.values_list("a", flat=True)]
    return math.fsum(squares) / len(squares)


def questions_in_set(
    study: Study, *, prompts: int | None = None, settings: ProtocolSettings | None = None
) -> tuple[int, int]:
    """How many questions the smallest and the largest set hold, built or not, under the study's settings or
    other ones. `prompts` of the bank are counted where their number is not given.
    """
    number = study.bank_version.number_of_prompts if prompts is None else prompts
    size = (settings or study.protocol).batch_size
    return number % size or min(size, number), min(size, number)
