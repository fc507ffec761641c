"""Reads of people in studies."""

import uuid

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from studies.models import (
    ComprehensionAttempt,
    Consent,
    Credential,
    Participant,
    ProfileForm,
    StudyEvent,
    User,
)
from studies.selectors.told import agreed_sha256


def withdrew(person: str = "pk") -> Exists:
    """Whether the person withdrew, whose id the outer query calls `person`."""
    # The kinds of events lie above this layer.
    return Exists(StudyEvent.objects.filter(participant=OuterRef(person), kind="participant_withdrew"))


def latest_consent(participant: Participant) -> Consent | None:
    """The person's newest decision."""
    return participant.consents.order_by("-id").first()


def has_agreed(participant: Participant) -> bool:
    """Whether the person agreed to any version of what the study asked them to agree to."""
    return participant.consents.filter(accepted=True).exists()


def has_declined(participant: Participant) -> bool:
    """Whether the person's latest decision declines exactly what would be agreed to now."""
    return _latest_decision_is(participant, accepted=False)


def has_valid_consent(participant: Participant) -> bool:
    """Whether the person's latest decision accepts exactly the text and the list that hold now."""
    return _latest_decision_is(participant, accepted=True)


def _latest_decision_is(participant: Participant, *, accepted: bool) -> bool:
    latest, current = latest_consent(participant), agreed_sha256(participant.study)
    return latest is not None and latest.accepted == accepted and latest.sha256 == current


def participations_of(user: User) -> QuerySet[Participant]:
    """The studies a person is part of, newest first."""
    return Participant.objects.filter(user=user).select_related("study").order_by("-study__created_at", "-id")


def participant_of(user: User, study_slug: str) -> Participant | None:
    """This person's place in the study, if there is one."""
    return Participant.objects.select_related("study").filter(user=user, study__slug=study_slug).first()


def participant_by_code(study_slug: str, code: str) -> Participant | None:
    """The person with this pseudonym in the study, with their account and who took their place."""
    people = Participant.objects.select_related("study", "user", "replaced_by")
    return people.filter(study__slug=study_slug, code=code).first()


def is_out_of_tries() -> Q:
    """Whether the check questions keep a person from starting, and no try is left."""
    tries = ComprehensionAttempt.objects.filter(participant=OuterRef("pk")).order_by()
    used = tries.values("participant").annotate(used=Count("id")).values("used")
    return ~Q(Exists(tries.filter(passed=True))) & Q(check_attempts__lte=Coalesce(Subquery(used), 0))


def newest_profile(participant: Participant) -> ProfileForm | None:
    """What the person says about themselves: the form sent last, if any."""
    return participant.profile_forms.order_by("-id").first()


def credentials_of(participant: Participant) -> QuerySet[Credential]:
    """The files the person handed in, newest first; the first one counts."""
    return participant.credentials.order_by("-id")


def credential_of(study_slug: str, code: str, token: uuid.UUID) -> Credential | None:
    """One file of the person with this pseudonym in the study."""
    files = Credential.objects.select_related("participant__study")
    return files.filter(token=token, participant__code=code, participant__study__slug=study_slug).first()
