"""manage.py build_batches STUDY: cut the study's bank into batches."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from batches.rules.coverage import coverage_lines
from batches.services.plans import batches_build, plan_coverage
from studies.management.operators import OperatorCommand, named_study, undecided_lines
from studies.selectors.categories import undecided
from studies.selectors.names import code_names


class Command(OperatorCommand):
    help = "Cut a study's bank into batches, as its settings say, and report how alike they are."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--per-batch", action="store_true", help="also print a line for each batch")

    def handle(self, *_: Any, **options: Any) -> None:
        study = named_study(options["study"])
        if found := undecided(study):
            self.stderr.write("\n".join(undecided_lines(study, found)))
        plan = batches_build(study=study, now=timezone.now())
        names, report = code_names(study), plan_coverage(plan)
        for line in coverage_lines(report, per_batch=options["per_batch"], name=names.category):
            self.stdout.write(line)
