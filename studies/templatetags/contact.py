"""What participants write to the team, for pages that show it: `{% load contact %}`."""

from django import template

from studies.models import Study
from studies.selectors.contact import open_threads

register = template.Library()


@register.simple_tag
def messages_waiting(study: Study) -> int:
    """`{% messages_waiting study as waiting %}`: how many people of the study wait for a reply."""
    return open_threads().filter(study=study).count()
