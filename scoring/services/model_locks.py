"""Who stores or deletes models of an item bank does so alone, and whoever measures waits for that."""

from django.db import transaction

from studies.models import ItemBank, Study


def models_lock(item_bank: ItemBank) -> None:
    """Nobody else stores or deletes models of this bank until the transaction ends."""
    ItemBank.objects.select_for_update(no_key=True).get(pk=item_bank.pk)


def models_settle(study: Study) -> None:
    """Wait for whoever stores or deletes models of the study's item bank at this moment.

    What they write bears the moment at which they began. Whoever reads after this has all that is older.
    """
    if study.item_bank is not None:
        with transaction.atomic():
            models_lock(study.item_bank)
