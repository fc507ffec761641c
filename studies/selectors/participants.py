"""Reads of people in studies."""

import uuid

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from studies.models import (
    ComprehensionAttempt,
    Consent,
    Credential,
    Participant,
    ProfileForm,
    Study,
    StudyEvent,
    User,
    VettingStatus,
)
from studies.protocol.consents import consent_sha256

WITHDREW = "withdrew"
# Who needs a decision comes first.
LIST_ORDER = (VettingStatus.SUBMITTED, VettingStatus.INVITED, VettingStatus.REJECTED, VettingStatus.APPROVED)


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
    latest, current = latest_consent(participant), consent_sha256(participant.study.protocol)
    return latest is not None and latest.accepted == accepted and latest.sha256 == current


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
    """Everyone in the study, those waiting for a decision first, those who withdrew last, then by code.

    Annotated with `has_withdrawn`, and with `is_out_of_tries`: the check questions keep the person from
    starting, and no try is left.
    """
    people = study.participants.select_related("user").annotate(has_withdrawn=withdrew())
    places = [When(vetting_status=status, then=Value(place)) for place, status in enumerate(LIST_ORDER)]
    people = people.order_by("has_withdrawn", Case(*places), "code")
    if not study.protocol.comprehension_check:
        return people.annotate(is_out_of_tries=Value(False))
    tries = ComprehensionAttempt.objects.filter(participant=OuterRef("pk")).order_by()
    used = tries.values("participant").annotate(used=Count("id")).values("used")
    return people.annotate(
        is_out_of_tries=~Exists(tries.filter(passed=True))
        & Q(check_attempts__lte=Coalesce(Subquery(used), 0))
    )


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


def vetting_counts(study: Study) -> dict[str, int]:
    """How many people have each vetting status; those who withdrew are counted as that alone."""
    status = Case(When(withdrew(), then=Value(WITHDREW)), default=F("vetting_status"))
    rows = study.participants.annotate(status=status).values_list("status").annotate(people=Count("id"))
    return dict.fromkeys([*VettingStatus.values, WITHDREW], 0) | dict(rows)
