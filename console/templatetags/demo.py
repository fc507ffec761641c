"""The demo's people on its front page: `{% load demo %}`."""

from typing import Any

from django import template
from django.conf import settings
from django.template import Context

from operations.services.demo_people import PEOPLE

register = template.Library()


@register.inclusion_tag("console/_demo_accounts.html", takes_context=True)
def demo_accounts(context: Context) -> dict[str, Any]:
    """`{% demo_accounts %}`: a button for each of them; nothing where this is no demo."""
    people = PEOPLE if settings.DEMO_SIGN_IN else {}
    return {"people": people.items(), "csrf_token": context.get("csrf_token")}
