"""Consent: who accepted or declined exactly which text and list of what is recorded, and when."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import get_language, gettext as _

from studies.models import Consent, Participant, StudyStatus, VettingStatus
from studies.protocol.consents import recorded_items
from studies.selectors.participants import has_agreed, latest_consent
from studies.selectors.told import agreed_sha256, told_lines
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.mails.study_mails import mails_cancel
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused


class ConsentNotAsked(Refused):
    """There is nothing to decide: the study is a draft or closed, the person was rejected or withdrew."""


class ConsentGiven(Refused):
    """The person agreed before; only a withdrawal takes that back."""


class ConsentTextChanged(Refused):
    """The text or the list was amended between being shown and being decided on."""


@transaction.atomic
def consent_record(
    *, participant: Participant, accepted: bool, now: datetime, shown_sha256: str | None = None
) -> Consent:
    """Record a decision on what holds now; the same decision twice in a row is recorded once.

    `shown_sha256` is the hash of what the person had in front of them, where a page showed it.
    Declining after an agreement would leave a running session and its answers in the study, so that is what a
    withdrawal is for. Raises ConsentNotAsked, ConsentTextChanged or ConsentGiven.
    """
    participant = participant_lock(participant)
    _require_asked(participant)
    protocol = participant.study.protocol
    digest = agreed_sha256(participant.study)
    if shown_sha256 is not None and shown_sha256 != digest:
        raise ConsentTextChanged(
            _("The text was changed while you were reading. Please read it again and decide.")
        )
    if not accepted and has_agreed(participant):
        raise ConsentGiven(
            _(
                "You have agreed to take part. To take part no longer, withdraw from the study: "
                "nothing of yours is used then."
            )
        )
    latest = latest_consent(participant)
    if latest and latest.accepted == accepted and latest.sha256 == digest:
        return latest
    consent = Consent.objects.create(
        participant=participant,
        accepted=accepted,
        text=protocol.text_in("consent_text", get_language() or "")[0],
        recorded=list(recorded_items(protocol)),
        told=[[line.label, line.text] for line in told_lines(participant.study)],
        sha256=digest,
        decided_at=now,
    )
    if not accepted:
        mails_cancel(participant.events.filter(kind=StudyEventKind.REMINDED), now)
    kind = StudyEventKind.CONSENTED if accepted else StudyEventKind.DECLINED
    participant_event(participant, kind, now, actor=participant.user, consent_sha256=digest)
    return consent


def _require_asked(participant: Participant) -> None:
    status = participant.study.status
    if status == StudyStatus.DRAFT:
        raise ConsentNotAsked(_("The study is still being prepared. You can decide when its text is final."))
    if status == StudyStatus.CLOSED:
        raise ConsentNotAsked(_("The study is closed; there is nothing left to decide."))
    if participant.vetting_status == VettingStatus.REJECTED:
        raise ConsentNotAsked(_("You are not taking part in this study; there is nothing to decide."))
    if has_withdrawn(participant):
        raise ConsentNotAsked(_("You have withdrawn from this study; there is nothing left to decide."))
