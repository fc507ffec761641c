"""Moments on pages, in the viewer's zone. Every template has the tag without loading it."""

from django import template

from presentation.moments import moment

register = template.Library()
register.simple_tag(moment)
