"""manage.py run: a site from nothing, on this machine."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from operations.rehearsal.mailbox import Mailbox
from operations.rehearsal.servers import (
    ServerNotStarted,
    Stopped,
    kept_folder,
    kept_port,
    running_site,
    stopped_by_signals,
)
from studies.management.operators import OperatorCommand
from studies.services.staff.first_run import first_run_link_draw


class Command(OperatorCommand):
    help = (
        "Set up and run the site on this machine, in embedded mode: database, pages and background work in "
        "one command. Ending it ends all of them."
    )

    # They load every page, for seconds, before anything is said; `make check` has made them.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_: Any, port: int, **__: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError(
                "run is for embedded mode; with CHIRON_MODE=production start the services of deploy/ "
                "(docs/operations.md)."
            )
        try:
            with stopped_by_signals(), kept_folder(settings.DATA_DIR), kept_port(port):
                self.run(port)
        except ServerNotStarted as error:
            raise CommandError(str(error)) from error
        except Stopped:
            print("\nStopped.")

    def run(self, port: int) -> None:
        print("Bringing tables and pages up to date …", flush=True)
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        folder = getattr(settings, "EMAIL_FILE_PATH", None)
        mailbox = Mailbox(Path(folder)) if folder else None
        with running_site(port, settings.DATA_DIR / "logs", environment={}) as site:
            token = first_run_link_draw(now=timezone.now())
            print(
                f"\nChiron runs on {site.url}/ and keeps everything in {settings.DATA_DIR}. Ctrl-C ends it."
            )
            if folder:
                print("Nothing is really mailed: invitations and sign-in codes appear here, below.")
            if token is not None:
                link = site.url + reverse("first_run", args=[token])
                print(
                    "\nNobody runs this site yet. Open this link on this machine, once and within an hour, "
                    f"to make its first administrator:\n\n  {link}\n"
                )
            sys.stdout.flush()
            for line in site.watch(mailbox):
                print(line, flush=True)
