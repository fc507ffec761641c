"""manage.py freeze_study SLUG: fix the protocol under its hash."""

from django.utils import timezone

from console.services.locking import require_lockable, study_lock_ready
from studies.management.operators import BY, OperatorCommand, named_person, named_study


class Command(OperatorCommand):
    help = "Freeze a study with its batches: from then on its protocol changes only by recorded amendment."
    arguments = {
        "slug": {},
        "--without-item-bank": {
            "action": "store_true",
            "help": "confirms that there are raw scores only, where there are item parameters to choose",
        },
        **BY,
    }

    def handle(self, *_: object, slug: str, without_item_bank: bool, by: str | None, **__: object) -> None:
        study, now = named_study(slug), timezone.now()
        ready = require_lockable(study, now, without_item_bank=without_item_bank)
        study = study_lock_ready(
            study=study, actor=named_person(by), now=now, without_item_bank=without_item_bank
        )
        for entry in ready.advised:
            self.stdout.write(f"{entry.badge}: {entry.sentence}")
        self.stdout.write(f'The study "{study.slug}" is frozen under protocol {study.protocol_hash}')
