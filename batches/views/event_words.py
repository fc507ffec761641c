"""What happened to a person, in words for the study team."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from batches.models import SessionEventKind
from batches.rules.statuses import SessionStatus
from studies.services.events import StudyEventKind

EVENT_WORDS: Mapping[str, str | Promise] = {
    StudyEventKind.PARTICIPANT_ADDED: _("added to the study"),
    StudyEventKind.APPROVED: _("approved"),
    StudyEventKind.REJECTED: _("rejected"),
    StudyEventKind.REMINDED: _("mailed a reminder that the study closes soon"),
    StudyEventKind.CONSENTED: _("agreed to the consent text"),
    StudyEventKind.DECLINED: _("declined the consent text"),
    StudyEventKind.WITHDREW: _("withdrew from the study"),
    StudyEventKind.INVITED: _("invited"),
    StudyEventKind.INVITATION_SENT: _("invitation sent"),
    StudyEventKind.INVITATION_REVOKED: _("invitation taken back"),
    StudyEventKind.INVITATION_ACCEPTED: _("accepted the invitation"),
    StudyEventKind.PROFILE_SUBMITTED: _("sent the profile form"),
    StudyEventKind.CREDENTIAL_UPLOADED: _("handed in a file"),
    StudyEventKind.CREDENTIAL_VIEWED: _("file looked at by the study team"),
    StudyEventKind.CHECK_PASSED: _("passed the comprehension check"),
    StudyEventKind.CHECK_FAILED: _("did not pass the comprehension check"),
    StudyEventKind.CHECK_ATTEMPT_GRANTED: _("given one more try at the comprehension check"),
    StudyEventKind.INSTRUCTIONS_SHOWN: _("shown the instructions of an arm on the start page"),
    StudyEventKind.EXTRA_TIME_GRANTED: _("given extra time for the start"),
    StudyEventKind.DATA_DOWNLOADED: _("downloaded their own data"),
    StudyEventKind.DATA_DELETED: _("data deleted"),
    StudyEventKind.MESSAGE_SENT: _("wrote to the study team"),
    StudyEventKind.MESSAGE_ANSWERED: _("got an answer from the study team"),
    SessionEventKind.STARTED: _("started the session"),
    SessionEventKind.RESOURCES_RECORDED: _("declared which resources were used"),
    SessionEventKind.SUBMITTED: _("submitted"),
    SessionEventKind.EXPIRED: _("session ended at its deadline"),
    SessionEventKind.WITHDRAWN: _("session ended by the withdrawal"),
    SessionEventKind.EXTENDED: _("session given extra time"),
    SessionEventKind.REOPENED: _("session reopened"),
    SessionEventKind.REVIVED: _("session revived: a wrong clock had ended it"),
    SessionEventKind.LATE_SAVE_ACCEPTED: _("a text within the tolerance after the deadline was saved"),
    SessionEventKind.LATE_SAVE_REFUSED: _("a text after the end was refused and kept aside"),
    SessionEventKind.HISTORY_FULL: _("earlier versions of answers are no longer kept"),
}

STATUS_WORDS: Mapping[SessionStatus, str | Promise] = {
    SessionStatus.ACTIVE: _("running"),
    SessionStatus.SUBMITTED: _("submitted"),
    SessionStatus.EXPIRED: _("ended at the deadline without a submission"),
    SessionStatus.WITHDRAWN: _("withdrawn"),
}

DETAIL_WORDS: Mapping[str, str | Promise] = {
    "reason": _("reason"),
    "closes_at": _("closes at"),
    "minutes": _("minutes"),
    "deadline_at": _("deadline"),
    "before": _("before"),
    "deadline_before": _("deadline before"),
    "deletes_at": _("data are deleted at"),
    "check_attempts": _("tries"),
    "minutes_before": _("minutes before"),
    "batch": _("batch"),
    "arm": _("arm"),
    "position": _("place"),
    "prompt": _("prompt"),
    "lateness": _("arrived"),
}


def event_words(kind: str) -> str:
    """The event in words; a kind without any is shown by its name."""
    return str(EVENT_WORDS.get(kind, kind.replace("_", " ")))


def detail_words(name: str) -> str:
    """What a fact of an event is called."""
    return str(DETAIL_WORDS.get(name, name.replace("_", " ")))
