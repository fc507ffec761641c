"""manage.py report_study STUDY --out FOLDER: the report of a study as HTML and PDF."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from presentation.numbers import counted
from presentation.scopes import LEADS
from reporting.report.html import document_html
from reporting.report.pdf import document_pdf
from reporting.services.study_reports import check_target, report_write
from reporting.views.report.parts import study_document
from scoring.selectors.headlines import results_lead
from scoring.selectors.runs import newest_study_results
from scoring.services.audits import audits_compute
from studies.management.operators import named_study, plain_errors
from studies.services.database import snapshot

NAMES = ("report.html", "report.pdf")


class Command(BaseCommand):
    help = (
        "Write the report of a study as report.html and report.pdf: protocol, flow, estimates, measurement, "
        "judges and the human-baseline checklist. The folder appears whole or not at all."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--out", type=Path, required=True, help="a folder that does not exist yet")
        parser.add_argument("--replace", action="store_true", help="put it in the place of an earlier report")

    def handle(self, *_: Any, **options: Any) -> None:
        folder: Path = options["out"]
        with plain_errors():
            study = named_study(options["study"])
            check_target(folder, set(NAMES), replace=options["replace"])
            audits_compute(study=study, now=timezone.now())
            with snapshot():
                document = study_document(study)
            files = {
                "report.html": document_html(document).encode("utf-8"),
                "report.pdf": document_pdf(document),
            }
            report_write(target=folder, files=files, replace=options["replace"])
        results = newest_study_results(study)
        lead = results_lead(results) if results else None
        if lead and lead.both_exist:
            self.stdout.write(str(LEADS[lead.why]))
        for name in NAMES:
            self.stdout.write(f"{counted(len(files[name])):>10}  {name}")
        self.stdout.write(f"Written to {folder.resolve()}.")
