"""manage.py disable_staff EMAIL: a staff member who leaves, or whose account somebody else may have."""

from argparse import ArgumentParser
from typing import Any

from studies.management.operators import OperatorCommand
from studies.services.staff import staff_disable


class Command(OperatorCommand):
    help = "Close the account of a staff member and sign them out everywhere. To open it again: add_staff."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *_: Any, email: str, **__: Any) -> None:
        user, changed = staff_disable(email=email)
        if changed:
            self.stdout.write(f"The account of {user.email} is closed; they are signed out everywhere.")
        else:
            self.stdout.write(f"Unchanged: the account of {user.email} is closed already.")
