"""manage.py doctor: what is configured, reachable and missing."""

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from operations.services.checkup import checkup


class Command(BaseCommand):
    help = (
        "Say in one table what is configured, reachable and missing, with a remedy in each bad row. "
        "Ends with 1 where something is wrong. Shows no secret."
    )
    # It has to work where these would fail.
    requires_system_checks: list[str] = []

    def handle(self, *_: Any, **__: Any) -> None:
        bad = 0
        for finding in checkup(now=timezone.now()):
            state = "ok" if finding.ok else "BAD"
            remedy = "" if finding.ok else f". Remedy: {finding.remedy}"
            self.stdout.write(f"{state:<4} {finding.part:<14} {finding.detail}{remedy}")
            bad += not finding.ok
        self.stdout.write(f"{bad} to mend." if bad else "All is well.")
        if bad:
            sys.exit(1)
