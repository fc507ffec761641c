"""Reads of people in studies."""

import hashlib

from django.db.models import Count, QuerySet

from studies.models import Consent, Participant, Study, User, VettingStatus


def consent_sha256(text: str) -> str:
    """What a consent text is recognised by (hex)."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def latest_consent(participant: Participant) -> Consent | None:
    """The person's newest decision."""
    return participant.consents.order_by("-id").first()


def has_agreed(participant: Participant) -> bool:
    """Whether the person agreed to any of the study's consent texts."""
    return participant.consents.filter(accepted=True).exists()


def has_valid_consent(participant: Participant) -> bool:
    """Whether the person's latest decision accepts exactly the text that holds now."""
    latest = latest_consent(participant)
    current = consent_sha256(participant.study.protocol.consent_text)
    return latest is not None and latest.accepted and latest.text_sha256 == current


def participations_of(user: User) -> QuerySet[Participant]:
    """The studies a person is part of, newest first."""
    return Participant.objects.filter(user=user).select_related("study").order_by("-study__created_at", "-id")


def participant_of(user: User, study_slug: str) -> Participant | None:
    """This person's place in the study, if there is one."""
    return Participant.objects.select_related("study").filter(user=user, study__slug=study_slug).first()


def participant_by_code(study_slug: str, code: str) -> Participant | None:
    """The person with this pseudonym in the study."""
    return Participant.objects.select_related("study").filter(study__slug=study_slug, code=code).first()


def participants_to_vet(study: Study) -> QuerySet[Participant]:
    """Everyone in the study, those waiting for a decision first, then by code."""
    order = ("-vetting_status", "code")  # submitted, rejected, approved
    return study.participants.select_related("user").order_by(*order)


def vetting_counts(study: Study) -> dict[str, int]:
    """How many people have each vetting status."""
    rows = study.participants.values_list("vetting_status").annotate(people=Count("id"))
    return dict.fromkeys(VettingStatus.values, 0) | dict(rows)
