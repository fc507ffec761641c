"""Short names used in addresses, file names and commands."""

import re

from studies.services.refusals import Refused

MAX_CHARACTERS = 50
PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class SlugInvalid(Refused):
    """A short name cannot be used."""


def require_slug(slug: str, *, of: str) -> None:
    """Raise SlugInvalid unless `slug` is lower-case letters, digits and single hyphens, 50 at most."""
    if len(slug) > MAX_CHARACTERS or not PATTERN.fullmatch(slug):
        raise SlugInvalid(
            f'"{slug}" cannot be the short name of {of}: use at most {MAX_CHARACTERS} lower-case letters, '
            "digits and single hyphens, such as pilot-2030."
        )
