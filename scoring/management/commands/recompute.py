"""manage.py recompute STUDY: bring results, agreement and measurement up, as the page of the results does."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from scoring.coordinator import results_recompute
from scoring.management.run_arguments import measuring_bar
from studies.management.operators import BY, OperatorCommand, named_person, named_study


class Command(OperatorCommand):
    help = (
        "Compute what of a study's results is missing or older than its answers, scores and decisions, as "
        "the button of the page does. Results that are right stay as they are."
    )
    arguments = BY

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        super().add_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        study, actor = named_study(options["study"]), named_person(options["by"])
        with measuring_bar() as said:
            done = results_recompute(study=study, actor=actor, clock=timezone.now, measuring=said)
        self.stdout.write(f"Computed: {done}." if done else "The results were up to date already.")
