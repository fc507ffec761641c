"""manage.py rehearse STUDY: simulated people answer a simulated study through the real web pages."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.utils import timezone

from operations.rehearsal.mailbox import CodeNotReceived, Mailbox
from operations.rehearsal.people import draw_people
from operations.rehearsal.servers import (
    MANY_FROM_ONE_ADDRESS,
    ServerNotStarted,
    Stopped,
    free_port,
    running_site,
    stopped_by_signals,
)
from operations.rehearsal.taking_part import work
from operations.rehearsal.web import PageRefused
from operations.services.rehearsals import rehearsal_site, simulated_people_add
from presentation.numbers import quantity
from studies.management.operators import OperatorCommand, named_study


class Command(OperatorCommand):
    help = "Let simulated people answer a simulated study through the running web pages."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--people", type=int, help="default: every place of the study")
        parser.add_argument("--mean", type=float, default=0.3, help="mean ability of the simulated people")
        parser.add_argument("--spread", type=float, default=0.8, help="standard deviation of their abilities")
        parser.add_argument(
            "--off-task", type=float, default=0.1, help="share who do not answer the questions"
        )
        parser.add_argument(
            "--skip", type=float, default=0.05, help="share of prompts left without an answer"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--at-once", type=int, default=8, help="people working at the same moment")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            with stopped_by_signals():
                self.rehearse(**options)
        except (ServerNotStarted, PageRefused, CodeNotReceived) as error:
            raise CommandError(str(error)) from error
        except Stopped:
            print("\nStopped. Run it again, and whoever has not worked yet goes on.")

    def rehearse(self, **options: Any) -> None:
        study = named_study(options["study"])
        folder = getattr(settings, "EMAIL_FILE_PATH", None)
        if folder is None:
            raise CommandError(
                "a rehearsal reads sign-in codes from the data folder; "
                "CHIRON_MAIL_URL sends them out: unset it"
            )
        emails = simulated_people_add(study=study, number=options["people"], actor=None, now=timezone.now())
        if not emails:
            raise CommandError(
                f'everybody in "{study.slug}" has worked already; raise --people or make a new study'
            )
        people = draw_people(
            emails,
            mean=options["mean"],
            spread=options["spread"],
            seed=options["seed"],
            off_task_share=options["off_task"],
        )
        call_command("collectstatic", interactive=False, verbosity=0)
        started = time.monotonic()
        logs = settings.DATA_DIR / "logs"
        with running_site(free_port(), logs, environment=MANY_FROM_ONE_ADDRESS) as running:
            site = rehearsal_site(study, running.url, Mailbox(Path(folder)), skip_share=options["skip"])
            connections.close_all()
            saved = work(people, site, at_once=options["at_once"])
        seconds = time.monotonic() - started
        print(
            f"{quantity(len(people), 'simulated person', 'simulated people')} saved "
            f"{quantity(saved, 'answer', 'answers')} in {seconds:,.0f} s through the web pages."
        )
