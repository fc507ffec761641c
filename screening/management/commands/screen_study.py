"""manage.py screen_study STUDY: flag off-task answers and participants; people decide about the flags."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from presentation.numbers import counted, quantity
from screening.selectors.screening import screening_summary
from screening.services.screening import offtask_filter_run
from screening.services.verdicts import verdicts_confirm_all
from studies.management.operators import OperatorCommand, named_person, named_study


class Command(OperatorCommand):
    help = (
        "Run the off-task rules over every ended session and print what they flag. Flags exclude nobody: "
        "reviewers confirm or overturn them on the screening page."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--confirm-all",
            action="store_true",
            help="exclude every flagged participant who has no verdict yet; needs --reason and --by",
        )
        parser.add_argument("--reason", default="", help="why the flags are confirmed")
        parser.add_argument(
            "--by", default="", metavar="EMAIL", help="the member of staff whose verdicts these are"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        study = named_study(options["study"])
        if options["confirm_all"] and not (options["by"] and options["reason"].strip()):
            raise CommandError(
                "--confirm-all needs --by EMAIL and --reason TEXT: verdicts have an author and a reason."
            )
        actor = named_person(options["by"])
        screening = offtask_filter_run(study=study, actor=actor, now=timezone.now())
        if options["confirm_all"] and actor:
            verdicts = verdicts_confirm_all(
                study=study, reason=options["reason"], actor=actor, now=timezone.now()
            )
            self.stdout.write(f"Confirmed by {actor.email}: {counted(len(verdicts))}.")
        screening = screening_summary(study, screening.rules_version)
        self.stdout.write(
            f"{quantity(screening.participants, 'ended session', 'ended sessions')}, rules "
            f"{screening.rules_version}."
        )
        self.stdout.write(f"Flagged answers: {_counted(screening.answers)}.")
        self.stdout.write(f"Flagged participants: {_counted(screening.people)}.")
        self.stdout.write(
            f"Without a verdict: {counted(screening.undecided)}. Excluded: {counted(screening.excluded)}."
        )


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{counted(number)} {reason}" for reason, number in numbers.items()) or "none"
