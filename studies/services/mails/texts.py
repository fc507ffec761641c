"""A mail's text from its templates, and the same as HTML: one text, so that both always say the same."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from presentation.moments import UTC_ZONE, known_zone, moment_text
from presentation.numbers import counted
from studies.models import MailSender, Study

HTML = "text/html"
PLACEHOLDER = re.compile(r"\{([^{}\n]*)\}")
NAME = "{name}"
# What a study's own text of each mail may name, and what of it the body must: without it the mail is useless.
PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "invitation": ("study", "link", "about", "name", "email", "profile", "days"),
    "approved": ("study", "link", "minutes", "closes"),
    "reserve": ("study", "link"),
    "rejected": ("study", "link", "reason"),
    "reminder": ("study", "link", "minutes", "closes"),
    "receipt": ("study", "link", "time", "answered", "total", "reference"),
    "reply": ("study", "link", "text"),
}
MUST: Mapping[str, tuple[str, ...]] = dict.fromkeys(PLACEHOLDERS, ("link",)) | {
    "invitation": ("link", "about"),
    "rejected": ("link", "reason"),
    "receipt": ("link", "reference"),
    "reply": ("link", "text"),
}
# Numbers and a moment that no mail has: where the default text says one, the placeholder's name goes.
STANDING_IN = {"days": 991, "minutes": 992, "total": 993, "answered": 994}
MOMENT = datetime(2199, 1, 1, tzinfo=UTC)


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
    zone: str = UTC_ZONE,
    button: MailButton | None = None,
    study: Study | None = None,
) -> EmailMultiAlternatives:
    """A mail from `studies/mail/`, in the reader's language where it is known, else in the site's; of a
    `study`, in its own words where it has some, and from its sender.

    Never in the language of whoever causes it; times are in the reader's `zone`. A subject is one line,
    whatever stands in it.
    """
    language = language or settings.LANGUAGE_CODE
    sender: MailSender | None = getattr(study, "mail_sender", None)
    with translation.override(language), timezone.override(known_zone(zone)):
        subject, body = _own_text(study, template, language, context) if study else ("", "")
        if not body:
            subject, body = _default_text(template, context)
        html = html_of(subject, body, button, sender.name if sender else "")
    message = EmailMultiAlternatives(subject, body, mail_sender(sender), [to])
    if sender and sender.reply_to:
        message.reply_to = [sender.reply_to]
    message.attach_alternative(html, HTML)
    return message


def mail_sender(sender: MailSender | None) -> str:
    """The site's address, under the study's name where it has one."""
    address = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    if not (sender and sender.name):
        return settings.DEFAULT_FROM_EMAIL
    return str(Address(display_name=sender.name, addr_spec=address))  # as pages show it; Django encodes it


def mail_text_default(template: str, language: str) -> tuple[str, str]:
    """Subject and body that Chiron mails, with placeholders where each mail has words of its own."""
    named = {name: f"{{{name}}}" for name in PLACEHOLDERS[template]}
    context: dict[str, object] = {
        **named, **STANDING_IN, "study": {"name": "{study}", "closes_at": MOMENT}, "page": "{link}",
        "invitation": {"email": "{email}", "name": NAME}, "stage": "open", "submitted": True,
        "ended_at": MOMENT, "is_reminder": True,
    }  # fmt: skip
    with translation.override(language):
        subject, body = _default_text(template, context)
        stands = {str(STANDING_IN[name]): named[name] for name in STANDING_IN if name in named}
        stands[moment_text(MOMENT)] = "{time}" if template == "receipt" else "{closes}"
    for text, name in stands.items():
        subject, body = subject.replace(text, name), body.replace(text, name)
    return subject, body


def _default_text(template: str, context: dict[str, object]) -> tuple[str, str]:
    subject = " ".join(render_to_string(f"studies/mail/{template}_subject.txt", context).split())
    return subject, render_to_string(f"studies/mail/{template}_message.txt", context).strip() + "\n"


def _own_text(study: Study, template: str, language: str, context: dict[str, object]) -> tuple[str, str]:
    """The study's own subject and body with this mail's facts; blank where it has none, or where the mail is
    about something else than what they were written for. A line that says nothing but a name or a closing
    time goes where there is none, as in Chiron's own text.
    """
    own = [text for text in study.mail_texts.all() if (text.template, text.language) == (template, language)]
    if not own or context.get("stage", "open") != "open" or not context.get("submitted", True):
        return "", ""
    values = _values(study, context)
    absent = {*(() if values["name"] else ("name",)), *(() if study.closes_at else ("closes",))}
    lines = [
        line
        for line in own[0].body.splitlines()
        if not (named := set(PLACEHOLDER.findall(line))) or named - absent
    ]
    subject, body = (
        PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
        for text in (own[0].subject, "\n".join(lines))
    )
    return " ".join(subject.split()), body.strip() + "\n"


def _values(study: Study, context: dict[str, object]) -> dict[str, str]:
    """What each placeholder stands for in this mail."""
    ended_at = context.get("ended_at")
    texts = ("profile", "reason", "text", "reference", "about")
    return {
        "study": study.name,
        "link": str(context.get("link") or context.get("page") or _("the page of the study on its site")),
        "email": getattr(context.get("invitation"), "email", ""),
        "name": getattr(context.get("invitation"), "name", ""),
        "closes": moment_text(study.closes_at) if study.closes_at else _("the end of the study"),
        "time": moment_text(ended_at) if isinstance(ended_at, datetime) else "",
        **{name: str(context.get(name, "")) for name in texts},
        **{name: counted(value) for name in STANDING_IN if isinstance(value := context.get(name), int)},
    }


def html_of(subject: str, body: str, button: MailButton | None = None, sender: str = "") -> str:
    """The text as HTML: its paragraphs, and after the one that has the button's link, the button."""
    blocks: list[dict[str, str]] = []
    for paragraph in filter(None, map(str.strip, body.split("\n\n"))):
        lines = paragraph.splitlines()
        words = [line for line in lines if button is None or line.strip() != button.link]
        if words:
            blocks.append({"text": "\n".join(words)})
        # A study's own words may have the link within a line, where no mail program need make it one.
        if button is not None and button.link in paragraph:
            blocks.append({"link": button.link})
    context = {
        "subject": subject,
        "sender": sender or "Chiron",
        "blocks": blocks,
        "label": button.label if button else "",
        "language": translation.get_language(),
    }
    return render_to_string("studies/mail/mail.html", context)


def html_part(message: object) -> str:
    """The HTML of a mail; blank where it has none."""
    parts = getattr(message, "alternatives", ())
    return next((str(part[0]) for part in parts if part[1] == HTML), "")
