"""Reads of who is staff of the site."""

from allauth.mfa.models import Authenticator
from django.db.models import Count, Exists, OuterRef, QuerySet

from studies.models import User

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def staff_members(words: str = "") -> QuerySet[User]:
    """Every member of the staff whose address has these words in it, those with an open account first.

    Annotated with `has_factor` (a second one) and `part_in` (in how many studies they have a role).
    """
    factors = Authenticator.objects.filter(user=OuterRef("pk"), type__in=FACTORS)
    staff = User.objects.filter(is_staff=True, email__icontains=words)
    staff = staff.annotate(has_factor=Exists(factors), part_in=Count("study_roles__study", distinct=True))
    return staff.order_by("-is_active", "email")
