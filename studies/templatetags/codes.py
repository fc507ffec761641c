"""Plain names in place of codes, the code in a tooltip: `{% load codes %}`."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from presentation.codes import tidy
from presentation.tables import Named
from studies.models import Study
from studies.selectors.names import code_names

register = template.Library()


@register.simple_tag
def category(study: Study, code: str) -> SafeString | str:
    """`{% category study prompt.category %}`."""
    return _shown(code_names(study).category(code)) if code else "–"


@register.simple_tag
def category_name(study: Study, code: str) -> str:
    """`{% category_name study code %}`: where there is room for words alone."""
    return str(code_names(study).category(code))


@register.simple_tag
def profile(study: Study, code: str) -> SafeString | str:
    """`{% profile study participant.profile %}`."""
    return _shown(code_names(study).profile(code)) if code else "–"


@register.simple_tag
def named(names: dict[str, str], code: str) -> SafeString | str:
    """`{% named version.category_names prompt.category %}`: without a study."""
    return _shown(Named(names.get(code) or tidy(code), code)) if code else "–"


def _shown(name: Named) -> SafeString | str:
    if name == name.code:
        return str(name)
    return format_html('<span class="coded" title="{}">{}</span>', name.code, name)
