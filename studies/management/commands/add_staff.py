"""manage.py add_staff EMAIL: somebody who may see staff pages, signing in by e-mailed code."""

from typing import Any

from django.core.management.base import CommandError
from django.db import transaction
from django.utils import timezone

from studies.management.operators import BY, OperatorCommand, named_person, named_study
from studies.roles import Role
from studies.services.staff.roles import require_no_participant, role_give
from studies.services.staff.staff import second_factor_forget, staff_add


class Command(OperatorCommand):
    help = (
        "Let a person see staff pages (--study and --role: of a study; --creates-studies: and make some; "
        "--superuser: of every study, and the records); makes an account where there is none and opens one "
        "that was closed."
    )
    arguments = {
        "email": {},
        "--superuser": {"action": "store_true", "help": "may do everything, and look into the records"},
        "--creates-studies": {"action": "store_true", "help": "may make studies, banks and judges"},
        "--study": {"help": "the short name of a study they get a part in"},
        "--role": {
            "choices": [role.value for role in Role],
            "help": f"their part in that study (default: {Role.LEAD})",
        },
        **BY,
        "--forget-second-factor": {
            "action": "store_true",
            "help": "they lost phone and recovery codes and set up a new second factor at their next sign-in",
        },
    }

    @transaction.atomic
    def handle(self, *_: object, email: str, superuser: bool, study: str | None, **options: Any) -> None:
        if options["role"] and not study:
            raise CommandError("--role is a part in a study: name it with --study.")
        of, actor = named_study(study) if study else None, named_person(options["by"])
        if of is not None:
            require_no_participant(of, email)
        user, changed = staff_add(
            email=email, superuser=superuser, creates_studies=options["creates_studies"], actor=actor
        )
        rights = ["see staff pages of studies they have a part in"]
        if user.is_superuser:
            rights = ["see staff pages of every study", "see the records"]
        elif user.may_create_studies:
            rights.append("make studies")
        what = "may " + ", ".join(rights)
        self.stdout.write(f"{user.email} {what}." if changed else f"Unchanged: {user.email} {what} already.")
        if of is not None:
            role = Role(options["role"] or Role.LEAD)
            is_new = role_give(study=of, user=user, role=role, now=timezone.now(), actor=actor)[1]
            self.stdout.write(f'They are {"" if is_new else "already "}{role} of the study "{of.slug}".')
        if options["forget_second_factor"]:
            number = second_factor_forget(user=user)
            self.stdout.write(
                f"Their second factor is forgotten (passkeys, apps and sets of codes: {number})."
            )
        self.stdout.write("They sign in with a code sent to this address.")
