"""Template filters for texts of banks and protocols: `{% load rendering %}`."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_info, gettext as _

from studies.models import Prompt
from studies.protocol.settings import ProtocolSettings
from studies.rendering import markdown as markdown_html, rendered

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """`{{ study.protocol.instructions|markdown }}`: Markdown and formulas as safe HTML."""
    return markdown_html(text)


@register.filter
def study_text(settings: ProtocolSettings, name: str) -> SafeString:
    """`{{ study.protocol|study_text:"instructions" }}`: a text of the study in the reader's language, as safe
    HTML; where it is not there in it, one sentence says so and the text is marked as of its own language.
    """
    wanted = get_language() or ""
    text, language = settings.text_in(name, wanted)
    if language == wanted:
        return markdown_html(text)
    return format_html('{}<div lang="{}">{}</div>', _only(language), language, markdown_html(text))


@register.simple_tag
def only_in(settings: ProtocolSettings, name: str) -> str:
    """`{% only_in study.protocol "arms" %}`: the same sentence where a list of the study is not there in the
    reader's language; nothing where it is, or where the study has no such list.
    """
    wanted = get_language() or ""
    entries, language = settings.entries_in(name, wanted)
    return _only(language) if entries and language != wanted else ""


def _only(language: str) -> SafeString:
    name = get_language_info(language)["name_translated"]
    sentence = _("This text is only available in %(language)s.") % {"language": name}
    return format_html('<p class="notice info">{}</p>', sentence)


@register.filter
def written_in(text: str, text_format: str) -> SafeString:
    """`{{ shown.question|written_in:shown.text_format }}`: a prompt's text alone, as safe HTML."""
    return rendered(text, text_format)


@register.filter
def prompt_html(prompt: Prompt) -> SafeString:
    """`{{ prompt|prompt_html }}`: the prompt's text in its own format, as safe HTML."""
    return rendered(prompt.text, prompt.text_format)
