"""What the team tells participants, for pages that show it or say whom it reaches: `{% load notices %}`."""

from django import template
from django.forms.boundfield import BoundField, BoundWidget
from django.http import HttpRequest
from django.utils import timezone

from batches.selectors.notices import Notice, audience_sizes, notices_for
from studies.models import Audience, Study

DISMISSED_COOKIE = "chiron_dismissed"  # static/studies/notices.js writes it

register = template.Library()


@register.simple_tag
def notices(request: HttpRequest, study: Study) -> list[Notice]:
    """`{% notices request study as shown %}`: what this person is told and has not put away here."""
    put_away = request.COOKIES.get(DISMISSED_COOKIE, "").split(".")
    told = (
        notices_for(user_id=request.user.pk, study_slug=study.slug, now=timezone.now())
        if request.user.pk
        else None
    )
    return [notice for notice in told or [] if notice.key not in put_away]


@register.simple_tag
def sized_audiences(field: BoundField, study: Study) -> list[tuple[BoundWidget, int]]:
    """`{% sized_audiences form.audience study as options %}`: each choice and how many people it reaches."""
    sizes = audience_sizes(study)
    return [(option, sizes[Audience(option.data["value"])]) for option in field]
