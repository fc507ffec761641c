"""Template filters for numbers: `{% load numbers %}`."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from presentation.first_intervals import first_cell, mean_cell, pool_cell, published_cell
from presentation.numbers import decimals
from presentation.tables import PlainWord

register = template.Library()


def term_html(text: str, exact: str = "") -> SafeString:
    exact = exact or (text.code if isinstance(text, PlainWord) else "")
    return format_html('<abbr title="{}">{}</abbr>', exact, text) if exact else format_html("{}", text)


# `{{ head.name|term }}`: plain words with their exact term in a tooltip, or with the one that is given.
register.filter("term", term_html)
# `{{ estimate.theta|decimals:2 }}`: with a real minus sign; a dash where there is no number.
register.filter("decimals", decimals)
# `{{ estimate|first_interval }}`: with what it is by, or why there is none. What follows: `|as_published`.
register.filter("first_interval", first_cell)
register.filter("as_published", published_cell)
# `{{ estimate|ability }}`: theta.pool, or what bounds it. `|mean_score`: or why it is withheld.
register.filter("ability", pool_cell)
register.filter("mean_score", mean_cell)
