"""Template filters for numbers: `{% load numbers %}`."""

from django import template

from scoring.views.agreement_texts import decimals

register = template.Library()
# `{{ estimate.theta|decimals:2 }}`: with a real minus sign; a dash where there is no number.
register.filter("decimals", decimals)
