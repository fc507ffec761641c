"""manage.py vet_participants STUDY approve|reject: decide who may take part."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.utils import timezone

from batches.services.recruiting import person_approve
from presentation.numbers import counted
from studies.management.operators import OperatorCommand, named_person, named_study
from studies.models import VettingStatus
from studies.services.people.participants import participants_vet


class Command(OperatorCommand):
    help = (
        "Approve or reject people by code or e-mail address, or everyone who waits for a decision. Whoever "
        "is approved when all places of their profile are held goes on the reserve list. Each is "
        "mailed the decision, a rejection with its reason; CHIRON_SITE_URL is where its link leads."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study")
        parser.add_argument("decision", choices=["approve", "reject"])
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--people", nargs="+", metavar="PERSON", help="codes or e-mail addresses")
        who.add_argument("--waiting", action="store_true", help="everyone who waits for a decision")
        parser.add_argument("--reason", default="", help="needed to reject; mailed to the person")
        parser.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, **options: Any) -> None:
        decided = participants_vet(
            study=named_study(options["study"]),
            approve=options["decision"] == "approve",
            names=options["people"],
            reason=options["reason"],
            actor=named_person(options["by"]),
            now=timezone.now(),
            site_url=settings.SITE_URL or "",
            approve_with=person_approve,
        )
        verb = "Approved" if options["decision"] == "approve" else "Rejected"
        self.stdout.write(f"{verb}: {counted(len(decided))}")
        if reserved := sum(person.vetting_status == VettingStatus.RESERVE for person in decided):
            self.stdout.write(f"Of these on the reserve list, as all places are held: {counted(reserved)}")
