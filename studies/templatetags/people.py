"""What participants say of themselves and write to the team, for pages that show it: `{% load people %}`."""

from django import template

from studies.forms.profile import profile_facts as facts, profile_lines as lines
from studies.models import ProfileForm, Study
from studies.selectors.contact import open_threads

register = template.Library()


@register.simple_tag
def messages_waiting(study: Study) -> int:
    """`{% messages_waiting study as waiting %}`: how many people of the study wait for a reply."""
    return open_threads().filter(study=study).count()


@register.filter
def profile_facts(profile_form: ProfileForm) -> list[tuple[str, str, str]]:
    """`{% for short, label, text in profile_form|profile_facts %}`: the same beside short labels."""
    return facts(profile_form.answers)


@register.filter
def profile_lines(profile_form: ProfileForm) -> list[tuple[str, str]]:
    """`{% for label, text in profile_form|profile_lines %}`: the answers in words."""
    return lines(profile_form.answers)
