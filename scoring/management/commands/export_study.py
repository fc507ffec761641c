"""manage.py export_study STUDY DIR: pseudonymous tables, a manifest and a data dictionary."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from presentation.numbers import counted
from presentation.scopes import LEADS
from psychometrics.measures.headlines import LeadReason
from scoring.coordinator import results_bring_up
from scoring.export.rows.base import Audience
from scoring.management.run_arguments import measuring_bar
from scoring.selectors.export_manifest import SUPERSEDED
from scoring.services.exports import study_export
from studies.management.operators import BY, OperatorCommand, named_person, named_study
from studies.selectors.studies import software
from studies.services.events import StudyEventKind, event_record


class Command(OperatorCommand):
    help = (
        "Write answers, scores, criteria, sessions, people by code, flags, results and events as CSV and "
        "JSONL, with a manifest and a data dictionary. The folder appears whole or not at all. Results that "
        "are missing or older than the answers are computed first."
    )
    arguments = BY

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
        parser.add_argument(
            "--audience",
            choices=[one.value for one in Audience],
            default=Audience.INTERNAL.value,
            help="internal (the default) holds what people wrote, public nothing of it",
        )
        parser.add_argument("--replace", action="store_true", help="put it in the place of an earlier export")
        super().add_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        study, actor = named_study(options["study"]), named_person(options["by"])
        with measuring_bar() as measuring:
            found = results_bring_up(study=study, clock=timezone.now, measuring=measuring)
        if found:
            self.stdout.write(f"Computed first, as it was missing or older than the answers: {found}.")
        audience, now = Audience(options["audience"]), timezone.now()
        manifest = study_export(
            study=study, target=options["folder"], replace=options["replace"], software=software(),
            audience=audience, now=now,
        )  # fmt: skip
        event_record(study, StudyEventKind.EXPORT_MADE, now, actor=actor, audience=audience.value)
        for file in manifest.files:
            if file.name.endswith(".csv"):
                self.stdout.write(f"{counted(file.rows):>8}  {file.name.removesuffix('.csv')}")
        if manifest.omitted.private_prompts:
            self.stdout.write(
                "Estimates and measures of scope public rest on the public prompts alone, those of scope "
                "all, where there are any, on all prompts; no row tells of a single private prompt."
            )
        for run in manifest.runs:
            if manifest.omitted.private_prompts and run.headline_reason:
                self.stdout.write(f"Run {run.number}: {LEADS[LeadReason(run.headline_reason)]}")
            if run.design_hash != manifest.study.design_hash:
                self.stdout.write(f"Run {run.number}: {SUPERSEDED}")
        self.stdout.write(
            f"Exported to {options['folder'].resolve()}, as CSV and JSONL, without names or addresses."
        )
