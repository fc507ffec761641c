"""People who look after studies: letting them in, keeping them out."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import structlog
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import User
from studies.models.accounts import sessions_end
from studies.services.people.participants import normal_email
from studies.services.refusals import Refused
from studies.services.staff.roles import IsParticipant

LOG = structlog.get_logger("chiron")


class PersonUnknown(Refused):
    """Nobody has an account with this address."""


class NotStaff(Refused):
    """The person is no staff member."""


class LastAdministrator(Refused):
    """Nobody would be left who runs the site."""


class StaffChange(StrEnum):
    """What a site administrator changes of a member of the staff."""

    MAKE_ADMINISTRATOR = "make-administrator"
    NO_ADMINISTRATOR = "no-administrator"
    LET_MAKE_STUDIES = "let-make-studies"
    NO_STUDIES = "no-studies"
    CLOSE = "close"
    OPEN = "open"


CHANGES: Mapping[StaffChange, tuple[str, bool]] = {
    StaffChange.MAKE_ADMINISTRATOR: ("is_superuser", True),
    StaffChange.NO_ADMINISTRATOR: ("is_superuser", False),
    StaffChange.LET_MAKE_STUDIES: ("may_create_studies", True),
    StaffChange.NO_STUDIES: ("may_create_studies", False),
    StaffChange.CLOSE: ("is_active", False),
    StaffChange.OPEN: ("is_active", True),
}


@transaction.atomic
def staff_add(
    *, email: str, superuser: bool = False, creates_studies: bool = False, actor: User | None = None
) -> tuple[User, bool]:
    """The person as staff, with an account if there was none, and whether anything changed.

    `superuser` and `creates_studies` add a right and, left out, take none away. A closed account is opened
    again with these rights alone, whatever it had.

    Raises EmailInvalid; or IsParticipant, as whoever takes part in a study did not ask to be of a team.
    """
    address = normal_email(email)
    user = User.objects.select_for_update().filter(email=address).first()
    if user is not None and not user.is_staff and user.participations.filter(is_test=False).exists():
        raise IsParticipant(
            _(
                "%(email)s signs in here as a participant, and such an account does not become staff. "
                "Ask the person for another address and add that."
            )
            % {"email": address}
        )
    kept = user if user is not None and user.is_active else None
    wanted: dict[str, Any] = {
        "is_active": True,
        "is_staff": True,
        "is_superuser": superuser or bool(kept and kept.is_superuser),
        "may_create_studies": creates_studies or bool(kept and kept.may_create_studies),
    }
    if user is None:
        user = User.objects.create_user(address, **wanted)
    elif all(getattr(user, name) == value for name, value in wanted.items()):
        return user, False
    else:
        for name, value in wanted.items():
            setattr(user, name, value)
        user.save(update_fields=[*wanted])
    by = actor.pk if actor else None
    LOG.info("staff added", person=user.pk, superuser=user.is_superuser, actor=by)
    return user, True


@transaction.atomic
def staff_disable(*, email: str) -> tuple[User, bool]:
    """Close the account of a staff member, which signs them out everywhere; whether it was open.

    Raises EmailInvalid, PersonUnknown or NotStaff.
    """
    user = _person_lock(email)
    if not user.is_staff:
        raise NotStaff(f"{user.email} is no staff member.")
    if not user.is_active:
        return user, False
    user.is_active = False
    user.save(update_fields=["is_active"])
    LOG.info("staff disabled", person=user.pk)
    return user, True


@transaction.atomic
def staff_change(*, user: User, change: StaffChange, actor: User) -> bool:
    """Give or take a right, close an account or open it again; whether that changed anything. What is taken
    signs the person out everywhere. Raises NotStaff or LastAdministrator.
    """
    field, value = CHANGES[change]
    # Two administrators who take the right from each other at once: the second finds it taken.
    running = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk"))
    user = User.objects.select_for_update().get(pk=user.pk)
    if not user.is_staff:
        raise NotStaff(_("%(email)s is no staff member.") % {"email": user.email})
    if getattr(user, field) == value:
        return False
    if running == [user] and change in {StaffChange.NO_ADMINISTRATOR, StaffChange.CLOSE}:
        raise LastAdministrator(
            _("%(email)s is the only site administrator. Make somebody else one first.")
            % {"email": user.email}
        )
    setattr(user, field, value)
    user.save(update_fields=[field])
    LOG.info("staff changed", person=user.pk, change=change.value, actor=actor.pk)
    return True


@transaction.atomic
def person_sign_out(*, email: str) -> User:
    """Sign anybody out everywhere. Raises EmailInvalid or PersonUnknown."""
    user = _person_lock(email)
    sign_out_everywhere(user=user)
    return user


def sign_out_everywhere(*, user: User) -> None:
    """End every session of theirs, on all devices, at once."""
    sessions_end(User.objects.filter(pk=user.pk))


def second_factor_forget(*, user: User) -> int:
    """Take away every passkey, app and recovery code of somebody who lost them, which signs them out
    everywhere; how many there were.
    """
    number = int(Authenticator.objects.filter(user=user).delete()[0])
    LOG.info("second factor forgotten", person=user.pk, number=number)
    return number


def _person_lock(email: str) -> User:
    address = normal_email(email)
    user = User.objects.select_for_update().filter(email=address).first()
    if user is None:
        raise PersonUnknown(f"There is no account with the address {address}.")
    return user
