"""manage.py freeze_study SLUG: fix the protocol under its hash."""

from django.utils import timezone

from batches.services.locking import study_freeze_built
from studies.management.operators import BY, OperatorCommand, named_person, named_study


class Command(OperatorCommand):
    help = "Freeze a study with its batches: from then on its protocol changes only by recorded amendment."
    arguments = {
        "slug": {},
        "--without-item-bank": {
            "action": "store_true",
            "help": "confirms that there are raw scores only: a study without an item bank has no ability",
        },
        **BY,
    }

    def handle(self, *_: object, slug: str, without_item_bank: bool, by: str | None, **__: object) -> None:
        study = study_freeze_built(
            study=named_study(slug),
            without_item_bank=without_item_bank,
            actor=named_person(by),
            now=timezone.now(),
        )
        self.stdout.write(f'The study "{study.slug}" is frozen under protocol {study.protocol_hash}')
