"""Plain names in place of codes, the code in a tooltip: `{% load codes %}`."""

from django import template
from django.utils.html import format_html

from presentation.codes import CodeNames
from presentation.tables import Named
from studies.models import Study
from studies.selectors.names import code_names, judge_kind_name, profile_names

register = template.Library()


@register.simple_tag
def category(study: Study, code: str) -> object:
    """`{% category study prompt.category %}`."""
    return coded(code_names(study).category(code)) if code else "–"


@register.simple_tag
def profile(study: Study, code: str) -> object:
    """`{% profile study participant.profile %}`."""
    return coded(profile_names(study).profile(code)) if code else "–"


@register.filter
def profile_of(code: str, names: CodeNames) -> object:
    """`{{ row.profile|profile_of:names }}`: in a list, whose view has the names once."""
    return coded(names.profile(code)) if code else "–"


@register.filter
def category_of(code: str, names: CodeNames) -> object:
    """`{{ prompt.category|category_of:names }}`."""
    return coded(names.category(code)) if code else "–"


@register.filter("judge_kind")
def judge_kind_coded(code: str) -> object:
    """`{{ study.protocol.judge_kind|judge_kind }}`."""
    return coded(judge_kind_name(code))


@register.filter
def coded(name: object) -> object:
    """`{{ row.profile|coded }}`, of a `Named`; anything else stays as it is."""
    if not isinstance(name, Named) or name == name.code:
        return name
    return format_html('<span class="coded" title="{}">{}</span>', name.code, name)
