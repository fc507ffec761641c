"""manage.py disable_staff EMAIL: a staff member who leaves, or whose account somebody else may have."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from studies.management.operators import plain_errors
from studies.services.staff import staff_disable


class Command(BaseCommand):
    help = "Close the account of a staff member and sign them out everywhere. To open it again: add_staff."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *_: Any, email: str, **__: Any) -> None:
        with plain_errors():
            user, changed = staff_disable(email=email)
        if changed:
            self.stdout.write(f"The account of {user.email} is closed; they are signed out everywhere.")
        else:
            self.stdout.write(f"Unchanged: the account of {user.email} is closed already.")
