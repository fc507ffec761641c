"""manage.py sign_out EMAIL: end every session of somebody, staff or participant."""

from studies.management.operators import OperatorCommand
from studies.services.staff.staff import person_sign_out


class Command(OperatorCommand):
    help = "Sign a person out everywhere, such as after the loss of a device. They may sign in again."
    arguments = {"email": {}}

    def handle(self, *_: object, email: str, **__: object) -> None:
        user = person_sign_out(email=email)
        self.stdout.write(f"{user.email} is signed out everywhere and may sign in again.")
