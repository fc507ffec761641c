"""Template filter for what people say about themselves: `{% load profiles %}`."""

from django import template

from studies.forms.profile import profile_lines as lines
from studies.models import ProfileForm

register = template.Library()


@register.filter
def profile_lines(profile_form: ProfileForm) -> list[tuple[str, str]]:
    """`{% for label, text in profile_form|profile_lines %}`: the answers in words."""
    return lines(profile_form.answers)
