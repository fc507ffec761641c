"""Moments on pages, in the viewer's zone. Every template has the tag without loading it."""

from django import template

from presentation.moments import day_text, moment, moment_text

register = template.Library()
register.simple_tag(moment)
register.filter(day_text)
register.filter(moment_text)
