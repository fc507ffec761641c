"""Template filters for numbers: `{% load numbers %}`."""

from django import template

from presentation.first_intervals import first_cell, mean_cell, pool_cell, published_cell
from presentation.numbers import decimals
from presentation.plain import plain_html, plain_text

register = template.Library()
# `{{ table.caption|plain }}`: in words of the pages, exact terms in tooltips; `plain_text` without these.
register.filter("plain", plain_html)
register.filter("plain_text", plain_text)
# `{{ estimate.theta|decimals:2 }}`: with a real minus sign; a dash where there is no number.
register.filter("decimals", decimals)
# `{{ estimate|first_interval }}`: with what it is by, or why there is none. What follows: `|as_published`.
register.filter("first_interval", first_cell)
register.filter("as_published", published_cell)
# `{{ estimate|ability }}`: theta.pool, or what bounds it. `|mean_score`: or why it is withheld.
register.filter("ability", pool_cell)
register.filter("mean_score", mean_cell)
