"""A mail's text from its templates, and the same as HTML: one text, so that both always say the same."""

from dataclasses import dataclass

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.functional import Promise

HTML = "text/html"


@dataclass(frozen=True, slots=True)
class MailButton:
    """What the one link of a mail is called in HTML; in the text it stands on a line of its own."""

    link: str
    label: str | Promise


def mail_of(
    template: str,
    context: dict[str, object],
    *,
    to: str,
    language: str = "",
    button: MailButton | None = None,
) -> EmailMultiAlternatives:
    """A mail from `studies/mail/`, in the reader's language where it is known, else in the site's.

    Never in the language of whoever causes it. A subject is one line, whatever stands in it.
    """
    with translation.override(language or settings.LANGUAGE_CODE):
        subject = " ".join(render_to_string(f"studies/mail/{template}_subject.txt", context).split())
        body = render_to_string(f"studies/mail/{template}_message.txt", context).strip() + "\n"
        html = html_of(subject, body, button)
    message = EmailMultiAlternatives(subject, body, None, [to])
    message.attach_alternative(html, HTML)
    return message


def html_of(subject: str, body: str, button: MailButton | None = None) -> str:
    """The text as HTML: its paragraphs, and the line that is the button's link as a button."""
    blocks: list[dict[str, str]] = []
    for paragraph in filter(None, map(str.strip, body.split("\n\n"))):
        lines = paragraph.splitlines()
        words = [line for line in lines if button is None or line.strip() != button.link]
        if words:
            blocks.append({"text": "\n".join(words)})
        if button is not None and len(words) < len(lines):
            blocks.append({"link": button.link})
    context = {
        "subject": subject,
        "blocks": blocks,
        "label": button.label if button else "",
        "language": translation.get_language(),
    }
    return render_to_string("studies/mail/mail.html", context)


def html_part(message: object) -> str:
    """The HTML of a mail; blank where it has none."""
    parts = getattr(message, "alternatives", ())
    return next((str(part[0]) for part in parts if part[1] == HTML), "")
