"""manage.py take_models STUDY: compare a locked study with the newest results of models from now on."""

from django.utils import timezone

from presentation.numbers import counted
from scoring.selectors.leaderboards import model_changes
from scoring.services.model_versions import models_take
from studies.management.operators import BY, OperatorCommand, named_person, named_study


class Command(OperatorCommand):
    help = (
        "Take the newest results of models on its item bank over into a locked study, which has kept those "
        "of its lock until now; its history says so."
    )
    arguments = {"slug": {}, **BY}

    def handle(self, *_: object, slug: str, by: str | None, **__: object) -> None:
        study = named_study(slug)
        changes = model_changes(study)
        study = models_take(
            study=study, seen=changes.version if changes else None, actor=named_person(by), now=timezone.now()
        )
        if changes is not None:
            self.stdout.write(
                f"{slug} has version {changes.version} of the results of models on {changes.item_bank}: "
                f"{counted(len(changes.added))} new, {counted(len(changes.replaced))} other than before."
            )
        self.stdout.write(f"Now run: measure_study {slug}")
