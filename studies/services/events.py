"""The trail of a study: who changed what, when and why. Rows are only ever added."""

from datetime import datetime
from enum import StrEnum

from studies.models import Participant, SiteEvent, Study, StudyEvent, User


class StudyEventKind(StrEnum):
    """What can happen to a study or a person in it."""

    CREATED = "study_created"
    SETTINGS_CHANGED = "settings_changed"
    PLANNED = "study_planned"
    FROZEN = "study_frozen"
    AMENDED = "study_amended"
    CLOSED = "study_closed"
    ARCHIVED = "study_archived"
    BROUGHT_BACK = "study_brought_back"
    ROLE_GIVEN = "role_given"
    ROLE_TAKEN = "role_taken"
    RIGHTS_CHANGED = "coordinator_rights_changed"
    LEADS_NUDGED = "leads_nudged"
    INVITED = "invitation_created"
    INVITATION_QUEUED = "invitation_queued"
    INVITATION_SENT = "invitation_sent"
    INVITATION_REVOKED = "invitation_revoked"
    INVITATION_ERASED = "invitation_erased"
    INVITATION_ACCEPTED = "invitation_accepted"
    PARTICIPANT_ADDED = "participant_added"
    APPROVED = "participant_approved"
    RESERVED = "participant_reserved"
    REJECTED = "participant_rejected"
    REPLACED = "participant_replaced"
    REMINDED = "reminder_mailed"
    CONSENTED = "consent_accepted"
    DECLINED = "consent_declined"
    WITHDREW = "participant_withdrew"
    RECRUITING_PAUSED = "recruiting_paused"
    RECRUITING_RESUMED = "recruiting_resumed"
    LINK_CHANGED = "recruiting_link_changed"
    LINK_OPENED = "recruiting_link_opened"
    LINK_CLOSED = "recruiting_link_closed"
    ENTERED_BY_LINK = "entered_by_link"
    SESSIONS_CHANGED = "sessions_changed"
    BATCHES_BUILT = "batches_built"
    ANNOUNCED = "announcement_made"
    ANNOUNCEMENT_WITHDRAWN = "announcement_withdrawn"
    MESSAGE_SENT = "message_sent"
    MESSAGE_ANSWERED = "message_answered"
    PROFILE_SUBMITTED = "profile_submitted"
    CREDENTIAL_UPLOADED = "credential_uploaded"
    CREDENTIAL_VIEWED = "credential_viewed"
    CHECK_PASSED = "check_passed"
    CHECK_FAILED = "check_failed"
    CHECK_ATTEMPT_GRANTED = "check_attempt_granted"
    INSTRUCTIONS_SHOWN = "instructions_shown"
    EXTRA_TIME_GRANTED = "extra_time_granted"
    CLOCK_CONFIRMED = "clock_confirmed"
    MAILS_SWITCHED_OFF = "mails_switched_off"
    MAILS_SWITCHED_ON = "mails_switched_on"
    MAIL_TEXT_CHANGED = "mail_text_changed"
    MAIL_SENDER_CHANGED = "mail_sender_changed"
    MAIL_RETRIED = "mail_retried"
    DATA_DOWNLOADED = "data_downloaded"
    DATA_DELETED = "data_deleted"
    PEOPLE_LISTED = "people_listed"
    PAYMENTS_LISTED = "payments_listed"
    LIST_TAKEN = "list_taken"
    PAYMENT_RULE_SET = "payment_rule_set"
    PAYMENTS_REPORTED = "payments_reported"
    JUDGING_STARTED = "judging_started"
    JUDGING_PAUSED = "judging_paused"
    JUDGING_RESUMED = "judging_resumed"
    JUDGING_CANCELLED = "judging_cancelled"
    JUDGING_FINISHED = "judging_finished"
    JUDGE_CHANGED = "judge_changed"
    AUDIT_DRAWN = "audit_drawn"
    AUDIT_IMPORTED = "audit_imported"
    AUDIT_RATED = "audit_rated"
    OFFTASK_FILTER_RUN = "offtask_filter_run"
    SECOND_READINGS_SET = "second_readings_set"
    VERDICT_GIVEN = "verdict_given"
    RESULTS_RECOMPUTED = "results_recomputed"
    MODELS_IMPORTED = "models_imported"
    MODELS_TAKEN = "models_taken"
    MODELS_DELETED = "models_deleted"
    BANK_NAMES_CHANGED = "bank_names_changed"
    JOB_STARTED = "job_started"
    JOB_FINISHED = "job_finished"
    JOB_FAILED = "job_failed"
    JOB_CANCELLED = "job_cancelled"
    PUBLICATION_SET = "publication_set"
    EXPORT_MADE = "export_made"
    EXPORT_TAKEN = "export_taken"
    EXPORT_DELETED = "export_deleted"
    PRIVATE_SEEN = "private_seen"


# Who did stays in nothing that is handed out.
LEAVING = (StudyEventKind.WITHDREW, StudyEventKind.DATA_DELETED)


class SiteEventKind(StrEnum):
    """What can happen to the site that is of no study, or outlives one."""

    SECOND_FACTOR_RESET = "second_factor_reset"
    STUDY_DELETED = "study_deleted"
    BANK_DELETED = "bank_deleted"
    ITEM_BANK_DELETED = "item_bank_deleted"
    JUDGE_TEXTS_DELETED = "judge_texts_deleted"
    JUDGE_DELETED = "judge_deleted"


def site_event_record(
    kind: SiteEventKind, now: datetime, *, about: str, actor: User | None, reason: str = "", **details: object
) -> SiteEvent:
    """Add one event to the history of the site; call it inside the change's transaction."""
    return SiteEvent.objects.create(
        kind=kind, about=about, reason=reason, details=details, actor=actor, happened_at=now
    )


def event_record(
    study: Study,
    kind: StudyEventKind,
    now: datetime,
    *,
    actor: User | None = None,
    participant: Participant | None = None,
    **details: object,
) -> StudyEvent:
    """Add one event. `actor` None means the command line; call it inside the change's transaction."""
    return StudyEvent.objects.create(
        study=study, kind=kind, details=details, actor=actor, participant=participant, happened_at=now
    )


def participant_event(
    participant: Participant,
    kind: StudyEventKind,
    now: datetime,
    *,
    actor: User | None = None,
    **details: object,
) -> StudyEvent:
    """Add one event about a person to the trail of their study, as `event_record` does."""
    return event_record(participant.study, kind, now, actor=actor, participant=participant, **details)


def has_withdrawn(participant: Participant) -> bool:
    """Whether the person withdrew, before or after starting."""
    return StudyEvent.objects.filter(participant=participant, kind=StudyEventKind.WITHDREW).exists()


def is_erased(participant: Participant) -> bool:
    """Whether the person's data were deleted after a withdrawal."""
    return StudyEvent.objects.filter(participant=participant, kind=StudyEventKind.DATA_DELETED).exists()


def departures(study: Study) -> int:
    """How often somebody withdrew from the study, or had their data deleted; it only ever grows."""
    return StudyEvent.objects.filter(study=study, kind__in=LEAVING).count()
