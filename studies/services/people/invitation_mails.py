"""Mailing invitations. No transaction is open while a mail server is waited for."""

from datetime import datetime
from smtplib import SMTPRecipientsRefused

import structlog
from django.core.mail import EmailMultiAlternatives, send_mail
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext_lazy as _, gettext_noop

from studies.models import Invitation, User
from studies.selectors.invitations import token_sha256
from studies.services.events import StudyEventKind, event_record
from studies.services.mail_texts import MailButton, html_part, mail_of
from studies.services.people.invitations import expiry, require_inviting, require_unused, token_new

LOG = structlog.get_logger("chiron")

ADDRESS_REFUSED = gettext_noop("The mail server refused this address; check it for a typing error.")
NOT_TAKEN = gettext_noop(
    "The mail server could not be reached or did not take the mail; send it again later."
)


def invitation_send(
    *, invitation: Invitation, site_url: str, now: datetime, actor: User | None = None
) -> Invitation:
    """Mail a new link, which makes every earlier one useless, and store whether it went out.

    `site_url` is where people reach the site. Raises StudyClosed, InvitationUsed or InvitationRevoked; a mail
    that does not go out is no refusal, but `send_problem` of what is returned.
    """
    token = token_new()
    invitation = _renew(invitation, token, now)
    problem = _mail(invitation, site_url.rstrip("/") + reverse("invitation", args=[token]))
    return _outcome_stored(invitation, problem, now, actor)


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


def invitation_mail(invitation: Invitation, link: str, *, language: str = "") -> EmailMultiAlternatives:
    """What is mailed to somebody who is invited; also its preview."""
    names = {profile.slug: profile.name for profile in invitation.study.protocol.profiles}
    context: dict[str, object] = {
        "invitation": invitation,
        "study": invitation.study,
        "profile": names.get(invitation.profile, invitation.profile),
        "days": invitation.study.protocol.invitation_days,
        "link": link,
    }
    button = MailButton(link, _("Accept the invitation"))
    return mail_of("invitation", context, to=invitation.email, language=language, button=button)


def _mail(invitation: Invitation, link: str) -> str:
    """Why the mail did not go out; blank where it did."""
    mail = invitation_mail(invitation, link)
    try:
        send_mail(str(mail.subject), str(mail.body), None, mail.to, html_message=html_part(mail))
    except SMTPRecipientsRefused:
        return ADDRESS_REFUSED
    except OSError as error:  # every other error of smtplib is one, too
        LOG.error("an invitation was not sent; check CHIRON_MAIL_URL", reason=type(error).__name__)
        return NOT_TAKEN
    return ""


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
