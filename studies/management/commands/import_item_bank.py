"""manage.py import_item_bank PATH: store item parameters, the scale a cohort is placed on."""

from pathlib import Path

from django.core.management.base import CommandError
from django.utils import timezone

from formats.item_parameters import read_item_parameters
from presentation.numbers import counted, quantity
from studies.management.operators import OperatorCommand, disagreement_lines, slug_of
from studies.models import BankVersion, ItemBank
from studies.selectors.banks import bank_version, item_ids_without_prompts, prompt_ids_without_parameters
from studies.selectors.categories import disagreements
from studies.services.banks import item_bank_import

SHOWN = 10


class Command(OperatorCommand):
    help = (
        "Import item parameters (a, b, transform, sigma_hat); refuses the file where anything is wrong in it."
    )
    arguments = {
        "path": {"type": Path},
        "--slug": {"help": "the item bank's short name (default: from the path)"},
        "--bank": {"help": "also list where this prompt bank and the parameters differ"},
    }

    def handle(self, *_: object, path: Path, slug: str | None, bank: str | None, **__: object) -> None:
        version = bank_version(bank) if bank else None
        if bank and version is None:
            raise CommandError(f'There is no prompt bank "{bank}"; import it first, or leave --bank out.')
        parameters = read_item_parameters(path)
        item_bank, created = item_bank_import(
            slug=slug or slug_of(path), parameters=parameters, now=timezone.now()
        )
        self.stdout.write(
            f"{'Imported' if created else 'Unchanged:'} {item_bank.slug}: "
            f"{quantity(len(parameters.items), 'item', 'items')}, "
            f"sigma_hat {item_bank.sigma_hat}. Digest {item_bank.digest}"
        )
        if item_bank.is_logistic:
            self.stdout.write("Fitted with the logistic 2PL: ability on this bank is theta_QL.")
        if item_bank.slug != (slug or slug_of(path)):
            self.stdout.write(f'It was there already and keeps its short name, "{item_bank.slug}".')
        if version is not None:
            self._compare(version, item_bank)

    def _compare(self, version: BankVersion, item_bank: ItemBank) -> None:
        without_parameters = prompt_ids_without_parameters(version, item_bank)
        self.stdout.write(f"Prompts of {version} without parameters: {counted(len(without_parameters))}")
        for prompt_id in without_parameters:
            self.stdout.write(f"  {prompt_id}")
        without_prompts = item_ids_without_prompts(version, item_bank)
        self.stdout.write(f"Parameters without a prompt in {version}: {counted(len(without_prompts))}")
        # A part of a published bank leaves hundreds of them over, and nothing needs to be done about those.
        for prompt_id in without_prompts[:SHOWN]:
            self.stdout.write(f"  {prompt_id}")
        if len(without_prompts) > SHOWN:
            self.stdout.write(f"  and {counted(len(without_prompts) - SHOWN)} more")
        if differing := disagreements(version, item_bank):
            self.stdout.write("\n".join(disagreement_lines(differing)))
