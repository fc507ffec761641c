"""The trail of a study: who changed what, when and why. Rows are only ever added."""

from datetime import datetime
from enum import StrEnum

from studies.models import Participant, Study, StudyEvent, User


class StudyEventKind(StrEnum):
    """What can happen to a study or a person in it."""

    CREATED = "study_created"
    SETTINGS_CHANGED = "settings_changed"
    FROZEN = "study_frozen"
    AMENDED = "study_amended"
    CLOSED = "study_closed"
    PARTICIPANT_ADDED = "participant_added"
    APPROVED = "participant_approved"
    REJECTED = "participant_rejected"
    CONSENTED = "consent_accepted"
    DECLINED = "consent_declined"
    WITHDREW = "participant_withdrew"
    BATCHES_BUILT = "batches_built"


def event_record(
    *,
    study: Study,
    kind: StudyEventKind,
    now: datetime,
    actor: User | None = None,
    participant: Participant | None = None,
    **details: object,
) -> StudyEvent:
    """Add one event. `actor` None means the command line; call it inside the change's transaction."""
    return StudyEvent.objects.create(
        study=study, kind=kind, details=details, actor=actor, participant=participant, happened_at=now
    )
