"""manage.py revive_session STUDY CODE --reason … --by …: undo what a wrong clock did to a session."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from batches.models import Session
from batches.services.extending import session_revive
from studies.management.operators import OperatorCommand, named_person, named_study
from studies.services.clock import server_now


class Command(OperatorCommand):
    help = (
        "Let a session run again that a wrong clock ended before its deadline, with the time that was left. "
        "Otherwise extend the time on the person's page."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("code", help="the participant's code")
        parser.add_argument("--reason", required=True, help="kept in the trail")
        parser.add_argument("--by", required=True, help="the staff member the trail names")

    def handle(self, *_: Any, study: str, code: str, reason: str, by: str, **__: Any) -> None:
        found = named_study(study)
        session = Session.objects.filter(participant__study=found, participant__code=code).first()
        if session is None:
            raise CommandError(f'Nobody with the code "{code}" has started in the study "{study}".')
        session = session_revive(session=session, reason=reason, actor=named_person(by), now=server_now())
        self.stdout.write(
            f"The session of {code} runs again until {session.deadline_at:%Y-%m-%d %H:%M:%S} UTC."
        )
