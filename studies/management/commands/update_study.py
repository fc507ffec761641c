"""manage.py update_study SLUG --protocol JSON: change the settings of a draft."""

from django.utils import timezone

from studies.management.operators import BY, OperatorCommand, json_object, named_person, named_study
from studies.protocol.settings import read_settings
from studies.services.studies import study_update_settings


class Command(OperatorCommand):
    help = "Change some settings of a study in draft. Batches that were built before must be built again."
    arguments = {
        "slug": {},
        "--protocol": {"required": True, "help": "a JSON file of the new values, or the JSON itself"},
        **BY,
    }

    def handle(self, *_: object, slug: str, protocol: str, by: str | None, **__: object) -> None:
        study = named_study(slug)
        settings = read_settings({**study.all_settings, **json_object(protocol)})
        study_update_settings(study=study, settings=settings, actor=named_person(by), now=timezone.now())
        self.stdout.write(f'Changed the draft "{slug}". If its batches were built already, build them again.')
