"""manage.py judge_agreement STUDY: how far the judges of a study agree, beside the paper's figures."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from psychometrics.inference.measure import Scope
from reporting.management.agreement_lines import panel_lines, scope_lines
from reporting.views.agreement.tables import panels_shown
from reporting.views.measurement.scopes import lead_of_scores
from scoring.selectors.judges import study_agreements
from scoring.services.agreements import agreements_compute
from studies.management.operators import named_study, plain_errors


class Command(BaseCommand):
    help = (
        "Compute how far the judges of a study agree, as its scores are now, store it, and print it: every "
        "two judges or replicates, all at once, theta under each, and warnings. Nothing is judged."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")

    def handle(self, *_: Any, **options: Any) -> None:
        with plain_errors():
            study = named_study(options["study"])
            comparisons = agreements_compute(study=study, now=timezone.now())
        if not comparisons:
            self.stdout.write(
                "There is nothing to compare: no two judges or replicates were asked about this study under "
                "the same protocol. Ask another with score_study --judge NAME, or the same one again with "
                "--replicates 2."
            )
            return
        lead = lead_of_scores(study, choice=any(row.scope == Scope.PUBLIC for row in comparisons))
        for panel in panels_shown(study_agreements(study).filter(scope=lead.scope)):
            for line in panel_lines(panel):
                self.stdout.write(line)
        for line in scope_lines(lead):
            self.stdout.write(line)
