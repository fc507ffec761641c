"""manage.py close_study SLUG: let nobody start any more."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from studies.management.operators import OperatorCommand, named_person, named_study
from studies.services.studies import study_close


class Command(OperatorCommand):
    help = "Close a study: nobody starts any more, running sessions keep their deadlines."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--reason", default="")
        parser.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, slug: str, reason: str, by: str | None, **__: Any) -> None:
        study_close(study=named_study(slug), reason=reason, actor=named_person(by), now=timezone.now())
        self.stdout.write(f'The study "{slug}" is closed. Running sessions keep their deadlines.')
