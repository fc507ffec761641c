"""Every mail of a study as it would be sent, with example data: for its preview and for a test."""

from datetime import datetime, timedelta

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse
from django.utils.translation import gettext as _, override

from batches.services.receipt_mails import ReceiptFacts, receipt_mail
from console.selectors.waiting import StudyWaits
from console.services.digests import digest_mail
from studies.models import Invitation, MailKind, Participant, Study, User
from studies.services.people.invitation_mails import invitation_mail
from studies.services.people.vetting_mails import Decision, decision_mail, participant_mail

ADDRESS, NAME = "participant@example.org", "N. N."
CODE = "P-EXAMPLE"


def mail_example(
    *,
    study: Study,
    kind: MailKind,
    language: str,
    site_url: str,
    now: datetime,
    decision: Decision = "approved",
) -> EmailMultiAlternatives:
    """The mail of this kind to somebody who does not exist; nothing is stored."""
    user = User(email=ADDRESS, language=language)
    profile = next((profile.slug for profile in study.protocol.profiles), "")
    person = Participant(study=study, user=user, code=CODE, profile=profile)
    with override(language):
        if kind == MailKind.INVITATION:
            invitation = Invitation(study=study, email=ADDRESS, name=NAME, profile=profile)
            link = site_url.rstrip("/") + reverse("invitation", args=["example"])
            return invitation_mail(invitation, link, language=language)
        if kind == MailKind.DIGEST:
            waits = StudyWaits(study=study, applications=3, messages=1, verdicts=2)
            return digest_mail(user, [waits], site_url)
        if kind == MailKind.DECISION:
            reason = _("Your documents do not show a degree in this field.") if decision == "rejected" else ""
            return decision_mail(person, decision=decision, reason=reason, site_url=site_url, now=now)
        if kind == MailKind.RECEIPT:
            facts = ReceiptFacts(True, now, total=20, answered=18, reference="EXAMPLE-REFERENCE")
            return receipt_mail(person, facts, site_url)
        if kind == MailKind.REPLY:
            text = _("Yes, you may use a calculator.\nPlease name it where we ask what you used.")
            return participant_mail(person, "reply", {"text": text}, site_url)
        # A reminder names the closing time, which a study may not have yet.
        if study.closes_at is None:
            study.closes_at = now + timedelta(days=3)
        return participant_mail(person, "reminder", {}, site_url)
