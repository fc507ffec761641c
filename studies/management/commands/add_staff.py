"""manage.py add_staff EMAIL: somebody who may see staff pages, signing in by e-mailed code."""

from studies.management.operators import OperatorCommand
from studies.services.staff import second_factor_forget, staff_add


class Command(OperatorCommand):
    help = (
        "Let a person see staff pages (--superuser: also the records); makes an account where there is none "
        "and opens one that was closed."
    )
    arguments = {
        "email": {},
        "--superuser": {"action": "store_true", "help": "may also look into the records"},
        "--forget-second-factor": {
            "action": "store_true",
            "help": "they lost phone and recovery codes and set up a new second factor at their next sign-in",
        },
    }

    def handle(
        self, *_: object, email: str, superuser: bool, forget_second_factor: bool, **__: object
    ) -> None:
        user, changed = staff_add(email=email, superuser=superuser)
        what = "may see staff pages" + (" and the records" if user.is_superuser else "")
        self.stdout.write(f"{user.email} {what}." if changed else f"Unchanged: {user.email} {what} already.")
        if forget_second_factor:
            number = second_factor_forget(user=user)
            self.stdout.write(f"Their second factor is forgotten ({number} passkeys, apps, sets of codes).")
        self.stdout.write("They sign in with a code sent to this address.")
