"""What the team and the participants say to each other, for pages that show it: `{% load contact %}`."""

from django import template
from django.http import HttpRequest
from django.utils import timezone

from studies.models import Study
from studies.selectors.contact import Notice, notices_for, open_threads

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
def messages_waiting(study: Study) -> int:
    """`{% messages_waiting study as waiting %}`: how many people of the study wait for a reply."""
    return open_threads().filter(study=study).count()
