"""manage.py sign_out EMAIL: end every session of somebody, staff or participant."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from studies.management.operators import plain_errors
from studies.services.staff import person_sign_out


class Command(BaseCommand):
    help = "Sign a person out everywhere, such as after the loss of a device. They may sign in again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *_: Any, email: str, **__: Any) -> None:
        with plain_errors():
            user = person_sign_out(email=email)
        self.stdout.write(f"{user.email} is signed out everywhere and may sign in again.")
