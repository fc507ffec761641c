"""The language a person reads the site in, for the mails to them."""

from studies.models import User


def language_keep(*, user: User, language: str) -> bool:
    """Keep what somebody does something in; False where it was known."""
    if not language or user.language == language:
        return False
    User.objects.filter(pk=user.pk).update(language=language)
    return True
