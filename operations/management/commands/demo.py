"""manage.py demo: the whole main job on a small original bank, with simulated people and models."""

import shutil
import time
from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.utils import timezone

from batches.models import Session
from operations.rehearsal.mailbox import CodeNotReceived, Mailbox
from operations.rehearsal.people import Behaviour, SimulatedPerson, draw_people
from operations.rehearsal.servers import (
    MANY_FROM_ONE_ADDRESS,
    ServerNotStarted,
    Stopped,
    kept_folder,
    kept_port,
    running_site,
    stopped_by_signals,
)
from operations.rehearsal.taking_part import Site, work
from operations.rehearsal.web import PageRefused
from operations.services.demo_people import OPEN_STUDY, PEOPLE as DEMO_PEOPLE, STUDY, VISITOR, demo_staff_add
from operations.services.rehearsal_studies import demo_models_import, demo_study_make
from operations.services.rehearsals import rehearsal_site, simulated_people_add
from studies.management.operators import OperatorCommand
from studies.models import Study, User
from studies.services.amendments import study_amend
from studies.services.people.invitation_mails import invitation_send
from studies.services.people.invitations import invitation_create
from studies.services.people.participants import participant_add, participant_approve
from studies.services.staff.staff import staff_add

LEAD, GUEST = DEMO_PEOPLE["lead"].email, "guest@example.org"
PEOPLE = 24
# Who does what; everybody else works diligently and submits.
BEHAVIOURS = {
    2: Behaviour.COMMENTS,
    5: Behaviour.MINIMAL,
    8: Behaviour.WITHDRAWS,
    PEOPLE - 1: Behaviour.TIMES_OUT,
}
# What a study lead may switch on, for visitors to see.
EVERYTHING_ASKED = {"comprehension_check": True, "note_per_prompt": True, "confidence_per_prompt": True}
CLOSING_SECONDS = 6
SWEEP_SECONDS = 60
# Everybody in the demo is invented; codes and a phone to scan with are too much to ask for a look around.
OPEN_DOORS = {
    **MANY_FROM_ONE_ADDRESS,
    "CHIRON_STAFF_SECOND_FACTOR": "false",
    "CHIRON_DEMO_SIGN_IN": "true",
}
MARKER = "this-folder-belongs-to-the-demo"


class Command(OperatorCommand):
    help = "Run a whole small study with simulated people, print the result, then serve the site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-serve", action="store_true", help="end after the run")

    def handle(self, *_: Any, port: int, no_serve: bool, **__: Any) -> None:
        try:
            with stopped_by_signals(), kept_folder(settings.DATA_DIR), kept_port(port):
                _fresh_data_dir(settings.DATA_DIR)
                self.run(port=port, serve=not no_serve)
        except (ServerNotStarted, PageRefused, CodeNotReceived) as error:
            raise CommandError(str(error)) from error
        except Stopped:
            print("\nStopped.")

    def run(self, *, port: int, serve: bool) -> None:
        started = time.monotonic()
        _step("Setting up an empty database and importing the demo's own bank and item parameters")
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        lead, now = staff_add(email=LEAD, superuser=True)[0], timezone.now()
        demo_study_make(slug=STUDY, name="Demo study", is_simulated=True, actor=None, now=now)
        demo_study_make(
            slug=OPEN_STUDY, name="Try it yourself", is_simulated=False, actor=None, now=now,
            more=EVERYTHING_ASKED,
        )  # fmt: skip
        with running_site(port, settings.DATA_DIR / "logs", environment=OPEN_DOORS) as site:
            _answer_all(site.url, lead)
            _step("Importing results of 30 simulated models on the same bank")
            demo_models_import(study=Study.objects.get(slug=STUDY), now=timezone.now())
            _step("Off-task filter; the study lead confirms what it found")
            reason = "Demo: the flagged answers are off-task."
            call_command("screen_study", STUDY, confirm_all=True, by=LEAD, reason=reason)
            _step("Judge (machine checks), item response scorer, results")
            print("\nThe people in this study and the models behind its item bank are SIMULATED.\n")
            call_command("score_study", STUDY)
            call_command("export_study", STUDY, str(settings.DATA_DIR / "export"))
            _step(f"Done in {time.monotonic() - started:.0f} s")
            if serve:
                mailbox = Mailbox(settings.DATA_DIR / "mail")
                _let_people_in(lead, site.url)
                for line in site.watch(mailbox):
                    print(line, flush=True)


def _fresh_data_dir(folder: Path) -> None:
    """Empty the demo's own folder; refuse any other that holds a database, and any other database."""
    if not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        raise CommandError("the demo starts with an empty SQLite database of its own; unset DATABASE_URL")
    if (folder / "chiron.sqlite3").exists() and not (folder / MARKER).exists():
        raise CommandError(
            f"{folder} holds a database that is not the demo's; run `make demo`, "
            "or set CHIRON_DATA_DIR to a new folder"
        )
    for name in ("chiron.sqlite3", "chiron.sqlite3-wal", "chiron.sqlite3-shm"):
        (folder / name).unlink(missing_ok=True)
    for name in ("media", "mail", "export", "logs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / MARKER).touch()


def _answer_all(url: str, lead: User) -> None:
    study = Study.objects.get(slug=STUDY)
    emails = simulated_people_add(study=study, number=PEOPLE, actor=lead, now=timezone.now())
    people = draw_people(emails, mean=0.5, spread=1.0, seed=20, off_task_share=0.0, behaviours=BEHAVIOURS)
    site = rehearsal_site(study, url, Mailbox(settings.DATA_DIR / "mail"))
    _step(f"{PEOPLE} simulated people sign in at {url} and answer through the pages")
    _crew(people[:-1], site)
    _step(f"The study now closes in {CLOSING_SECONDS} s; the last person starts and does not submit in time")
    closes_at = timezone.now() + timedelta(seconds=CLOSING_SECONDS)
    study_amend(
        study=study,
        changes={"closes_at": closes_at.isoformat()},
        reason="The demo shows what happens at the deadline.",
        actor=lead,
        now=timezone.now(),
    )
    _crew(people[-1:], site)
    until = time.monotonic() + SWEEP_SECONDS
    while not Session.objects.filter(participant__study=study, status="expired").exists():
        if time.monotonic() > until:
            raise CommandError(
                f"the sweep did not end the session within {SWEEP_SECONDS} s; "
                f"see {settings.DATA_DIR / 'logs' / 'worker.log'}"
            )
        time.sleep(0.2)


def _crew(people: list[SimulatedPerson], site: Site) -> None:
    connections.close_all()
    # One after the other: who gets which batch, and so the result, is the same in every run.
    work(people, site, at_once=1)


def _let_people_in(lead: User, url: str) -> None:
    """One who is admitted already and one who is invited; and say how everybody comes in."""
    now = timezone.now()
    demo_staff_add(study=Study.objects.get(slug=STUDY), actor=lead, now=now)
    study = Study.objects.get(slug=OPEN_STUDY)
    participant = participant_add(study=study, email=VISITOR, profile="stem-phd", now=now)
    participant_approve(participant=participant, actor=lead, now=now, reason="demo visitor")
    invitation = invitation_create(study=study, email=GUEST, profile="stem-phd", actor=lead, now=now)
    invitation_send(invitation=invitation, site_url=url, actor=lead, now=now)
    print(
        f"""
Open {url}/ and choose who you are: one click signs you in as
  study lead                  and shows the results
  participant                 and lets you answer, with the clock running
  coordinator, reviewer, analyst
Be invited as a participant:  open the link below, sign in as {GUEST}; the study lead admits you
Nothing is really mailed: invitations and sign-in codes appear here, below.
Only the demo lets people in like this; elsewhere everybody gets a code, and staff need a second factor.
Everything of the demo is in  {settings.DATA_DIR}; Ctrl-C ends it.
"""
    )


def _step(sentence: str) -> None:
    print(f"• {sentence}", flush=True)
