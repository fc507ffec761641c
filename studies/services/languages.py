"""In which language and time zone a person reads the site, for the mails to them."""

from presentation.moments import UTC_ZONE
from studies.models import Study, User
from studies.roles import Role


def language_keep(*, user: User, language: str) -> bool:
    """Keep what somebody does something in; False where it was known."""
    if not language or user.language == language:
        return False
    User.objects.filter(pk=user.pk).update(language=language)
    return True


def zone_keep(*, user: User, zone: str) -> None:
    """Keep the time zone that somebody's device is in."""
    User.objects.filter(pk=user.pk).update(time_zone=zone)


def mail_zone(study: Study, user: User | None = None) -> str:
    """The zone of whoever a mail of the study goes to; where that is not known, of those who lead it."""
    leads = [part.user for part in study.roles.all() if part.role == Role.LEAD] if study.pk else []
    people = [user, *leads] if user else leads
    return next((person.time_zone for person in people if person.time_zone), UTC_ZONE)
