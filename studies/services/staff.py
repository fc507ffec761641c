"""People who look after studies."""

from allauth.mfa.models import Authenticator
from django.db import transaction

from studies.models import User
from studies.services.participants import normal_email


@transaction.atomic
def staff_add(*, email: str, superuser: bool = False) -> tuple[User, bool]:
    """The person as staff, with an account if there was none, and whether anything changed.

    `superuser` adds a right and, left out, takes none away. Raises EmailInvalid.
    """
    address = normal_email(email)
    user = User.objects.select_for_update().filter(email=address).first()
    if user is None:
        return User.objects.create_user(address, is_staff=True, is_superuser=superuser), True
    if user.is_staff and (user.is_superuser or not superuser):
        return user, False
    user.is_staff = True
    user.is_superuser = user.is_superuser or superuser
    user.save(update_fields=["is_staff", "is_superuser"])
    return user, True


def second_factor_forget(*, user: User) -> int:
    """Take away every passkey, app and recovery code of somebody who lost them; how many there were."""
    return int(Authenticator.objects.filter(user=user).delete()[0])
