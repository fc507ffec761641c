"""manage.py import_participants STUDY FILE.csv: add people to a study."""

from pathlib import Path

from django.utils import timezone

from presentation.numbers import counted, quantity
from studies.forms.people_file import read_people
from studies.management.operators import BY, OperatorCommand, named_person, named_study
from studies.services.people.people_import import participants_import


class Command(OperatorCommand):
    help = (
        "Add the people of a CSV file with the columns email and profile, optionally status "
        "(submitted or approved) and is_test (yes or no). Adds nobody where any line has a problem. "
        "Mails nobody: tell the people yourself, those approved here too."
    )
    arguments = {"study": {}, "path": {"type": Path}, **BY}

    def handle(self, *_: object, study: str, path: Path, by: str | None, **__: object) -> None:
        result = participants_import(
            study=named_study(study), reading=read_people(path), actor=named_person(by), now=timezone.now()
        )
        added = len(result.added)
        approved = sum(participant.approved for participant in result.added)
        self.stdout.write(
            f"Added {quantity(added, 'person', 'people')} ({counted(approved)} approved, "
            f"{counted(added - approved)} waiting); {counted(result.unchanged)} were in the study already "
            "and stay unchanged. Nobody was mailed."
        )
