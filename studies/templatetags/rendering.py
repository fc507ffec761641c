"""Template filters for texts of banks and protocols: `{% load rendering %}`."""

from django import template
from django.utils.safestring import SafeString

from studies.models import Prompt
from studies.rendering import markdown as markdown_html, rendered

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """`{{ study.protocol.instructions|markdown }}`: Markdown and formulas as safe HTML."""
    return markdown_html(text)


@register.filter
def written_in(text: str, text_format: str) -> SafeString:
    """`{{ shown.question|written_in:shown.text_format }}`: a prompt's text alone, as safe HTML."""
    return rendered(text, text_format)


@register.filter
def prompt_html(prompt: Prompt) -> SafeString:
    """`{{ prompt|prompt_html }}`: the prompt's text in its own format, as safe HTML."""
    return rendered(prompt.text, prompt.text_format)
