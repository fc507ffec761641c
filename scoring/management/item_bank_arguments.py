"""An item bank as commands take it: by its short name, the beginning of its digest, or a file."""

from pathlib import Path

from django.core.management.base import CommandError

from formats.item_parameters import ItemParametersRefused, read_item_parameters
from psychometrics.irt.bank import ItemBank as ItemArrays, item_bank_from
from psychometrics.planning.computing import NamedBank
from scoring.selectors.leaderboards import item_banks_named
from studies.models import ItemBank
from studies.selectors.item_arrays import item_arrays


def named_item_bank(name: str) -> ItemBank:
    """The newest bank of this name, or the one bank whose digest begins so."""
    if not name:
        raise CommandError("An empty name is given for the item bank; name a stored one or a file.")
    found = list(item_banks_named(name)[:2])
    if not found:
        slugs = ", ".join(sorted(set(ItemBank.objects.values_list("slug", flat=True)))[:20])
        others = f"There are: {slugs}." if slugs else "Import one with import_item_bank."
        raise CommandError(f'There is no item bank "{name}". {others}')
    if len(found) > 1 and found[0].slug != name:
        raise CommandError(f'Several digests begin with "{name}"; give more of it.')
    return found[0]


def bank_of(name: str) -> NamedBank:
    """The bank in a file of this name; without such a file the stored one. A file needs no database."""
    path = Path(name)
    if path.is_file():
        return NamedBank(path.name, items_in(path))
    if path.suffix == ".json" or len(path.parts) > 1:
        raise CommandError(f"There is no file {path}; name an item-parameter file or a stored item bank.")
    stored = named_item_bank(name)
    return NamedBank(str(stored), item_arrays(stored))


def items_in(path: Path) -> ItemArrays:
    try:
        return item_bank_from(read_item_parameters(path))
    except ItemParametersRefused as refusal:
        raise CommandError(f"The item bank {path} cannot be used:\n{refusal}") from None
