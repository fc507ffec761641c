"""manage.py confirm_clock --reason …: sessions end and data are deleted again by the clock as it is."""

from argparse import ArgumentParser
from typing import Any

from batches.services.clock import clock_confirm
from studies.management.operators import OperatorCommand, named_person


class Command(OperatorCommand):
    help = (
        "Say that the server's clock is right, after it jumped or the site was off: sessions end and data "
        "are deleted again by it. Look at another clock first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reason", required=True, help="kept in the trail of every study")
        parser.add_argument("--by", help="the staff member the trail names")

    def handle(self, *_: Any, reason: str, by: str | None, **__: Any) -> None:
        moment = clock_confirm(reason=reason, actor=named_person(by))
        self.stdout.write(
            f"It is {moment:%Y-%m-%d %H:%M:%S} UTC. Sessions end and data are deleted by this clock."
        )
