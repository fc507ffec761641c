"""The demo's people on its front page: `{% load demo %}`."""

from collections.abc import Collection

from django import template
from django.conf import settings

from operations.services.demo_people import PEOPLE, DemoPerson

register = template.Library()


@register.simple_tag
def demo_people() -> Collection[tuple[str, DemoPerson]]:
    """`{% demo_people as people %}`: whom one may be, by name; nobody where this is no demo."""
    return PEOPLE.items() if settings.DEMO_SIGN_IN else ()
