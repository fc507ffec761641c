"""What a room has for those below it, which know it by no import: settings.PROVIDERS says who is asked."""

from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string


def provided(name: str, *arguments: object) -> Any:
    """`provided("rule_counts", study)`; in templates `{% provided "notices" request study as notices %}`."""
    return import_string(settings.PROVIDERS[name])(*arguments)
