"""What is known about the server's clock, for staff pages that show it: `{% load clock %}`."""

from django import template

from batches.models import ClockWatch

register = template.Library()


@register.simple_tag
def clock_is_held() -> bool:
    """`{% clock_is_held as held %}`: whether nothing ends because the clock jumped."""
    return ClockWatch.objects.exclude(held_since=None).exists()
