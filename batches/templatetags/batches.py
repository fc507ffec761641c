"""The workspace's addresses and whom a notice reaches, for templates: `{% load batches %}`."""

from django import template
from django.forms.boundfield import BoundField, BoundWidget
from django.template import Context
from django.urls import reverse

from batches.selectors.notices import audience_sizes
from studies.models import Audience, Study

# In a session, in practice.
ADDRESSES = {
    "prompt": ("session_prompt", "study_practice"),
    "save": ("api-1:save_answer", "api-1:save_practice"),
    "flag": ("api-1:flag_answer", "api-1:flag_practice"),
    "time": ("api-1:session_time", "api-1:practice_time"),
}

register = template.Library()


@register.simple_tag
def sized_audiences(field: BoundField, study: Study) -> list[tuple[BoundWidget, int]]:
    """`{% sized_audiences form.audience study as options %}`: each choice and how many people it reaches."""
    sizes = audience_sizes(study)
    return [(option, sizes[Audience(option.data["value"])]) for option in field]


@register.simple_tag(takes_context=True)
def workspace_url(context: Context, what: str, *position: int) -> str:
    """`{% workspace_url "prompt" 1 %}`; expects `session`, in practice `is_practice` and `study`."""
    in_session, in_practice = ADDRESSES[what]
    if context.get("is_practice"):
        return reverse(in_practice, args=[context["study"].slug, *position])
    return reverse(in_session, args=[context["session"].pk, *position])
