"""Consent: who accepted or declined exactly which text, and when."""

from datetime import datetime

from django.db import transaction

from studies.models import Consent, Participant, StudyStatus, VettingStatus
from studies.selectors.participants import consent_sha256, has_agreed, latest_consent
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused


class ConsentNotAsked(Refused):
    """There is nothing to decide: the study is a draft or closed, or the person was rejected."""


class ConsentGiven(Refused):
    """The person agreed before; only a withdrawal takes that back."""


class ConsentTextChanged(Refused):
    """The text was amended between being shown and being decided on."""


@transaction.atomic
def consent_record(
    *, participant: Participant, accepted: bool, now: datetime, shown_sha256: str | None = None
) -> Consent:
    """Record a decision on the current text; the same decision twice in a row is recorded once.

    `shown_sha256` is the hash of the text the person had in front of them, where a page showed it.
    Declining after an agreement would leave a running session and its answers in the study, so that is what a
    withdrawal is for. Raises ConsentNotAsked, ConsentTextChanged or ConsentGiven.
    """
    participant = Participant.objects.select_for_update().get(pk=participant.pk)
    _require_asked(participant)
    text = participant.study.protocol.consent_text
    digest = consent_sha256(text)
    if shown_sha256 is not None and shown_sha256 != digest:
        raise ConsentTextChanged(
            "The text was changed while you were reading. Please read it again and decide."
        )
    if not accepted and has_agreed(participant):
        raise ConsentGiven(
            "You have agreed to take part. To take part no longer, withdraw from the study: "
            "nothing of yours is used then."
        )
    latest = latest_consent(participant)
    if latest and latest.accepted == accepted and latest.text_sha256 == digest:
        return latest
    consent = Consent.objects.create(
        participant=participant, accepted=accepted, text=text, text_sha256=digest, decided_at=now
    )
    event_record(
        study=participant.study,
        kind=StudyEventKind.CONSENTED if accepted else StudyEventKind.DECLINED,
        now=now,
        actor=participant.user,
        participant=participant,
        text_sha256=digest,
    )
    return consent


def _require_asked(participant: Participant) -> None:
    status = participant.study.status
    if status == StudyStatus.DRAFT:
        raise ConsentNotAsked("The study is still being prepared. You can decide when its text is final.")
    if status == StudyStatus.CLOSED:
        raise ConsentNotAsked("The study is closed; there is nothing left to decide.")
    if participant.vetting_status == VettingStatus.REJECTED:
        raise ConsentNotAsked("You are not taking part in this study; there is nothing to decide.")
