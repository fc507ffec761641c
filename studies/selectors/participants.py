"""Reads of people in studies: their decisions, their tries at the comprehension check, what they store."""

import uuid

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from formats.canonical import canonical_sha256
from presentation.numbers import numbered
from studies.models import (
    ComprehensionAttempt,
    Consent,
    Credential,
    Participant,
    ProfileForm,
    StudyEvent,
    User,
)
from studies.protocol.settings import ProtocolSettings
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


def check_passed(participant: Participant) -> bool:
    """Whether the check stands in nobody's way: the person passed it, or the study asks for none.

    Who passed once has passed: other questions after an amendment do not ask again, as the instructions can
    be read at any time and a running session must not be called back.
    """
    if not participant.study.protocol.comprehension_check:
        return True
    return participant.check_tries.filter(passed=True).exists()


def check_attempts_left(participant: Participant) -> int:
    """How often the person may still try; meaningful until the check is passed."""
    return max(0, participant.check_attempts - participant.check_tries.count())


def newest_attempt(participant: Participant) -> ComprehensionAttempt | None:
    """The try made last."""
    return participant.check_tries.order_by("-id").first()


def questions_sha256(protocol: ProtocolSettings) -> str:
    """What the questions with their options are recognised by (hex)."""
    return canonical_sha256([question.model_dump(mode="json") for question in protocol.check_questions])


TOLD_FROM_PERCENT = 80


def storage_notice(stored_bytes: int) -> tuple[str, str] | None:
    """A key that changes with what is to be told, and the sentence; None while there is nothing to tell."""
    percent = 100 * stored_bytes // settings.PERSON_BYTES
    if percent >= 100:
        return "full", _(
            "What you may store in this study is used up. Your answers are saved as before; their earlier "
            "versions are no longer kept, and no more files and messages are taken."
        )
    if percent >= TOLD_FROM_PERCENT:
        return "nearly-full", numbered(
            _(
                "You have used more than %(percent)d %% of what you may store in this study. When it is "
                "used up, "
                "your answers are still saved; their earlier versions are no longer kept, and no more "
                "files and messages are taken."
            ),
            {"percent": TOLD_FROM_PERCENT},
        )
    return None
