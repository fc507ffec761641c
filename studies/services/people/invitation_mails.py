"""Mailing invitations: at once, or by a worker. No transaction is open while a mail server is waited for."""

from collections.abc import Sequence
from datetime import datetime
from smtplib import SMTPRecipientsRefused

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import prefetch_related_objects
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, override

from presentation.moments import known_zone
from studies.models import Invitation, Study, StudyEvent, User
from studies.protocol.settings import ProtocolSettings
from studies.selectors.invitations import token_sha256
from studies.selectors.told import told_text
from studies.services.database import one_of_many_writes, rows_insert, slices
from studies.services.events import StudyEventKind, event_record
from studies.services.languages import mail_zone
from studies.services.mails.mails import (
    ADDRESS_REFUSED,
    NOT_TAKEN,
    invitation_mails_cancel,
    invitation_mails_queue,
)
from studies.services.mails.study_mails import VALID_FOR
from studies.services.mails.texts import MailButton, mail_of
from studies.services.people.invitations import (
    expiry,
    require_inviting,
    require_unused,
    token_new,
)

LOG = structlog.get_logger("chiron")
MAILS_A_SLICE = 100


def invitation_send(
    *, invitation: Invitation, site_url: str, now: datetime, actor: User | None = None
) -> Invitation:
    """Mail a new link, which makes every earlier one useless, and store whether it went out.

    `site_url` is where people reach the site. Raises StudyClosed, InvitationUsed or InvitationRevoked; a mail
    that does not go out is no refusal, but `send_problem` of what is returned.
    """
    token = token_new()
    invitation = _renew(invitation, token, now)
    mail = invitation_mail(invitation, site_url.rstrip("/") + reverse("invitation", args=[token]))
    problem = ""
    try:
        mail.send()
    except SMTPRecipientsRefused:
        problem = ADDRESS_REFUSED
    except OSError as error:  # every other error of smtplib is one, too
        LOG.error("an invitation was not sent; check CHIRON_MAIL_URL", reason=type(error).__name__)
        problem = NOT_TAKEN
    return _outcome_stored(invitation, problem, now, actor)


def invitations_queue(
    *,
    study: Study,
    invitations: Sequence[Invitation],
    site_url: str,
    now: datetime,
    actor: User | None = None,
) -> int:
    """Leave a mail with a new link for each to a worker, which notes what becomes of it; how many there are.

    Every earlier link of them is useless from now on. Raises as `invitation_send`, and queues none then, but
    for what others do at this moment: a list goes in slices. Asked again, it goes on with those to send.
    """
    require_inviting(study)
    numbers = [invitation.pk for invitation in invitations]
    for some in slices(numbers, MAILS_A_SLICE):
        for invitation in Invitation.objects.filter(pk__in=some):
            require_unused(invitation)
    for some in slices(numbers, MAILS_A_SLICE):
        _queue(study, some, site_url, now, actor)
    return len(numbers)


def _queue(study: Study, numbers: list[int], site_url: str, now: datetime, actor: User | None) -> None:
    """Some of them, in few queries; the mails are written before the transaction."""
    protocol, expires_at = study.protocol, expiry(study, now)
    prefetch_related_objects(
        [study], "payment_rules", "mail_texts", "mail_sender", "roles__user"
    )  # once for all of these mails
    chosen = list(Invitation.objects.filter(pk__in=numbers).order_by("pk"))
    letters = []
    for invitation in chosen:
        token = token_new()
        invitation.token_sha256, invitation.expires_at = token_sha256(token), expires_at
        invitation.sent_at, invitation.send_problem = None, ""
        link = site_url.rstrip("/") + reverse("invitation", args=[token])
        mail = invitation_mail(invitation, link, study=study, protocol=protocol)
        letters.append((mail, invitation))
    own = {"study": study, "kind": StudyEventKind.INVITATION_QUEUED, "actor": actor, "happened_at": now}
    events = rows_insert(StudyEvent, (StudyEvent(**own, details={"invitation": one.pk}) for one in chosen))
    with one_of_many_writes():
        for locked in Invitation.objects.select_for_update().filter(pk__in=numbers).order_by("pk"):
            require_unused(locked)
        Invitation.objects.bulk_update(chosen, ["token_sha256", "expires_at", "sent_at", "send_problem"])
        invitation_mails_cancel(numbers, now)
        invitation_mails_queue(letters=letters, now=now, valid_for=VALID_FOR)
        events()


@transaction.atomic
def _renew(invitation: Invitation, token: str, now: datetime) -> Invitation:
    locked = Invitation.objects.select_for_update(of=("self",)).select_related("study")
    invitation = locked.get(pk=invitation.pk)
    require_unused(invitation)
    require_inviting(invitation.study)
    invitation.token_sha256 = token_sha256(token)
    invitation.expires_at = expiry(invitation.study, now)
    # Until the outcome is known: whoever stops here finds it among those to send.
    invitation.sent_at, invitation.send_problem = None, ""
    invitation.save(update_fields=["token_sha256", "expires_at", "sent_at", "send_problem"])
    return invitation


def invitation_mail(
    invitation: Invitation,
    link: str,
    *,
    language: str = "",
    study: Study | None = None,
    protocol: ProtocolSettings | None = None,
) -> EmailMultiAlternatives:
    """What is mailed to somebody who is invited; also its preview.

    `study` and `protocol` are the invitation's: whoever writes many mails need not read them for each.
    """
    study = study or invitation.study
    protocol = protocol or study.protocol
    language = language or invitation.language or settings.LANGUAGE_CODE
    slugs = [profile.slug for profile in protocol.profiles]
    names = dict(zip(slugs, protocol.entries_in("profiles", language)[0], strict=True))
    context: dict[str, object] = {
        "invitation": invitation,
        "study": study,
        "profile": names.get(invitation.profile, invitation.profile),
        "days": protocol.invitation_days,
        "link": link,
    }
    zone = mail_zone(study)  # of the invited nobody knows where they are
    with override(language), timezone.override(known_zone(zone)):
        context["about"] = told_text(study, protocol)
    button = MailButton(link, _("Accept the invitation"))
    return mail_of(
        "invitation", context, to=invitation.email, language=language, zone=zone, button=button, study=study
    )


@transaction.atomic
def _outcome_stored(invitation: Invitation, problem: str, now: datetime, actor: User | None) -> Invitation:
    invitation.sent_at, invitation.send_problem = (None, problem) if problem else (now, "")
    # Nothing is stored where the link was replaced again in the meantime: that sending reports for itself.
    same_link = Invitation.objects.filter(pk=invitation.pk, token_sha256=invitation.token_sha256)
    same_link.update(sent_at=invitation.sent_at, send_problem=problem)
    if not problem:
        kind = StudyEventKind.INVITATION_SENT
        event_record(invitation.study, kind, now, actor=actor, invitation=invitation.pk)
    return invitation
