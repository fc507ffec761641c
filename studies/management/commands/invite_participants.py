"""manage.py invite_participants STUDY FILE.csv: invite people to a study by e-mail."""

from collections import Counter
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone
from tqdm import tqdm

from presentation.numbers import counted, quantity
from studies.forms.people_file import read_people
from studies.management.operators import BY, OperatorCommand, named_person, named_study
from studies.services.people.invitation_mails import invitation_send
from studies.services.people.people_import import invitations_import
from studies.services.refusals import Refused


class Command(OperatorCommand):
    help = (
        "Invite the people of a CSV file with the columns email and profile, optionally is_test (yes or no). "
        "Invites nobody where any line has a problem. Run it again to send what was not sent."
    )
    arguments = {"study": {}, "path": {"type": Path}, **BY}

    def handle(self, *_: object, study: str, path: Path, by: str | None, **__: object) -> None:
        if not settings.SITE_URL:
            raise CommandError(
                "The links need the site's address; set CHIRON_SITE_URL, such as https://study.example.org"
            )
        actor = named_person(by)
        result = invitations_import(
            study=named_study(study), reading=read_people(path), actor=actor, now=timezone.now()
        )
        problems: Counter[str] = Counter()
        for invitation in tqdm(result.to_send, desc="sending", unit=" mails", disable=None):
            try:
                problem = invitation_send(
                    invitation=invitation, site_url=settings.SITE_URL, now=timezone.now(), actor=actor
                ).send_problem
            except Refused as refusal:  # it was accepted or revoked while the others were sent
                problem = str(refusal)
            if problem:
                problems[problem] += 1
        sent = len(result.to_send) - problems.total()
        self.stdout.write(
            f"Made {quantity(result.made, 'invitation', 'invitations')}, sent {counted(sent)}; "
            f"{quantity(result.unchanged, 'person was', 'people were')} invited or in the study already."
        )
        if problems:
            reasons = "\n".join(f"  {counted(number)} x {problem}" for problem, number in problems.items())
            raise CommandError(f"Not sent: {counted(problems.total())}. Run the command again.\n{reasons}")
