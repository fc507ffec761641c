"""A study's own words and sender for its mails. They promise nothing that the protocol does not, as what
people are told before they agree is a placeholder: so they may change at any time, after the lock, too.
"""

import re
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import MailSender, MailText, Study, User
from studies.services.events import StudyEventKind, event_record
from studies.services.mails.texts import MUST, NAME, PLACEHOLDER, PLACEHOLDERS, mail_text_default
from studies.services.refusals import Refused

SUBJECT_CHARACTERS = 200
BODY_CHARACTERS = 20_000
NAME_CHARACTERS = 80
# What the row of a queued mail holds; a longer one would fail whatever queues it.
NAME_BYTES, ADDRESS_CHARACTERS = 240, 254
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class MailTextRefused(Refused):
    """The text could not be mailed as it is; nothing was stored."""


@transaction.atomic
def mail_text_set(
    *, study: Study, template: str, language: str, subject: str, body: str, actor: User, now: datetime
) -> bool:
    """Mail these words from now on, Chiron's own where both are blank or are those; whether that is new.

    Raises MailTextRefused.
    """
    subject, body = subject.strip(), body.replace("\r\n", "\n").strip()
    own = MailText.objects.filter(study=study, template=template, language=language)
    if (not subject and not body) or (subject, f"{body}\n") == mail_text_default(template, language):
        changed = bool(own.delete()[0])
    else:
        mail_text_require(template, subject, body)
        before = own.values_list("subject", "body").first()
        changed = before != (subject, body)
        MailText.objects.update_or_create(
            study=study, template=template, language=language, defaults={"subject": subject, "body": body}
        )
    if changed:
        event_record(
            study, StudyEventKind.MAIL_TEXT_CHANGED, now, actor=actor, mails=template, language=language,
            own=own.exists(),
        )  # fmt: skip
    return changed


def mail_text_require(template: str, subject: str, body: str) -> None:
    """Raise MailTextRefused, in one sentence, for what could not be mailed as this mail."""
    known, named = PLACEHOLDERS[template], PLACEHOLDER.findall(subject) + PLACEHOLDER.findall(body)
    listed = ", ".join(f"{{{name}}}" for name in known)
    if not subject or not body:
        raise MailTextRefused(_("Write a subject and a text."))
    if len(subject) > SUBJECT_CHARACTERS or UNPRINTABLE.search(subject):
        raise MailTextRefused(_("Write the subject in one line of at most 200 characters."))
    if len(body) > BODY_CHARACTERS or "\x00" in body:
        raise MailTextRefused(_("The text is too long for a mail, or has characters that cannot be stored."))
    if unknown := [name for name in named if name not in known]:
        raise MailTextRefused(
            _("This mail knows no {%(name)s}. It knows %(known)s.") % {"name": unknown[0], "known": listed}
        )
    if NAME in subject:
        raise MailTextRefused(
            _("{name} can stand in the text, and not in the subject: not every name is known.")
        )
    with_name = "".join(line for line in body.splitlines() if NAME in line)
    if lost := [name for name in MUST[template] if f"{{{name}}}" in with_name]:
        raise MailTextRefused(
            _("Put {%(name)s} on another line than {name}: where no name is known, that line is left out.")
            % {"name": lost[0]}
        )
    if missing := [name for name in MUST[template] if f"{{{name}}}" not in body]:
        raise MailTextRefused(
            _("The text lacks {%(name)s}, without which the mail is of no use. Put it where it belongs.")
            % {"name": missing[0]}
        )


@transaction.atomic
def mail_sender_set(*, study: Study, name: str, reply_to: str, actor: User, now: datetime) -> bool:
    """Mail under this name from now on, with answers to this address; blank is the site's. Whether that is
    new. The address that mails come from stays the site's. Raises MailTextRefused.
    """
    name, reply_to = name.strip(), reply_to.strip()
    too_long = len(name) > NAME_CHARACTERS or len(name.encode()) > NAME_BYTES
    if too_long or UNPRINTABLE.search(name) or set(name) & set('@<>"\\'):
        raise MailTextRefused(
            _("Write the sender's name in one line of at most 80 characters, without an address.")
        )
    try:
        if reply_to:
            validate_email(reply_to)
            MaxLengthValidator(ADDRESS_CHARACTERS)(reply_to)
    except ValidationError:
        raise MailTextRefused(_("Write one e-mail address for answers, such as team@example.org.")) from None
    row, _is_new = MailSender.objects.get_or_create(study=study)
    changed = (row.name, row.reply_to) != (name, reply_to)
    row.name, row.reply_to = name, reply_to
    row.save()
    if changed:
        event_record(study, StudyEventKind.MAIL_SENDER_CHANGED, now, actor=actor, name=name)
    return changed
