"""manage.py close_study SLUG: let nobody start any more."""

from django.utils import timezone

from studies.management.operators import BY, OperatorCommand, named_person, named_study
from studies.services.studies import study_close


class Command(OperatorCommand):
    help = "Close a study: nobody starts any more, running sessions keep their deadlines."
    arguments = {"slug": {}, "--reason": {"default": ""}, **BY}

    def handle(self, *_: object, slug: str, reason: str, by: str | None, **__: object) -> None:
        study_close(study=named_study(slug), reason=reason, actor=named_person(by), now=timezone.now())
        self.stdout.write(f'The study "{slug}" is closed. Running sessions keep their deadlines.')
