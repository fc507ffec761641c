"""What the commands' arguments name."""

from django.core.management.base import CommandError

from studies.models import Study, User
from studies.selectors.studies import study_by_slug


def named_study(slug: str) -> Study:
    """The study, or a CommandError with the remedy."""
    study = study_by_slug(slug)
    if study is None:
        raise CommandError(f'There is no study "{slug}"; create_study makes one.')
    return study


def named_staff(email: str) -> User:
    """The member of staff, or a CommandError with the remedy."""
    user = User.objects.filter(email=email.strip().lower(), is_staff=True, is_active=True).first()
    if user is None:
        raise CommandError(f"{email} is no member of staff; createsuperuser adds one.")
    return user
