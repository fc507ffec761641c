"""manage.py disable_staff EMAIL: a staff member who leaves, or whose account somebody else may have."""

from studies.management.operators import OperatorCommand
from studies.services.staff.staff import staff_disable


class Command(OperatorCommand):
    help = "Close the account of a staff member and sign them out everywhere. To open it again: add_staff."
    arguments = {"email": {}}

    def handle(self, *_: object, email: str, **__: object) -> None:
        user, changed = staff_disable(email=email)
        if changed:
            self.stdout.write(f"The account of {user.email} is closed; they are signed out everywhere.")
        else:
            self.stdout.write(f"Unchanged: the account of {user.email} is closed already.")
