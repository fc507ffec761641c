"""Deleting what a person who withdrew wrote and said, and what others wrote about them. What happened and
when stays.
"""

from collections.abc import Iterable
from typing import Any

from batches.models import (
    Answer,
    PaymentReport,
    PracticeAnswer,
    PracticeClock,
    Revision,
    Session,
    SessionContact,
    SessionEvent,
    SessionEventKind,
)
from batches.selectors.deletion import events_with_reason
from studies.models import Credential, Invitation, Message, Participant, ProfileForm, StudyEvent
from studies.services.events import StudyEventKind
from studies.services.people.recruiting_links import entry_erase


def person_texts_delete(participant: Participant) -> dict[str, Any]:
    """Empty everything in the person's own words, and what the team and the payer wrote about them in theirs;
    call it inside the transaction of the deletion.

    Their name and the ids by which a recruiting platform knows them go, too. Kept are code, address, times,
    states, amounts, consents and the trail without its free texts. Return what the event of the deletion is
    to keep.
    """
    Session.objects.filter(participant=participant).update(resources=[], resources_note="")
    answers = Answer.objects.filter(session__participant=participant)
    answers.update(text="", note="", confidence=None, is_flagged=False)
    Revision.objects.filter(answer__session__participant=participant).update(
        text="", note="", confidence=None
    )
    PracticeAnswer.objects.filter(participant=participant).delete()
    PracticeClock.objects.filter(participant=participant).delete()
    SessionContact.objects.filter(session__participant=participant).delete()
    ProfileForm.objects.filter(participant=participant).update(answers={})
    participant.check_tries.update(choices=[])
    # An emptied message would wait for a reply for good.
    Message.objects.filter(participant=participant).delete()
    declared = SessionEvent.objects.filter(
        session__participant=participant, kind=SessionEventKind.RESOURCES_RECORDED
    )
    _forget(declared, {"categories", "note"})
    Invitation.objects.filter(study=participant.study_id, email=participant.user.email).update(name="")
    Participant.objects.filter(pk=participant.pk).update(stored_bytes=0, vetting_reason="")
    PaymentReport.objects.filter(participant=participant).update(note="")
    _forget(events_with_reason(participant.pk), {"reason"})
    _forget(SessionEvent.objects.filter(session__participant=participant), {"reason"})
    # One reason for several people stands in the events of each of the others as well.
    several = StudyEvent.objects.filter(study=participant.study_id, kind=StudyEventKind.SESSIONS_CHANGED)
    about = (
        one
        for one in several
        if participant.code in (*one.details.get("people", ()), *one.details.get("not_reached", ()))
    )
    _forget(about, {"reason"})
    return entry_erase(participant)


def credential_files_delete(participant: Participant) -> None:
    """Remove the files a person handed in, then their rows; call it outside of any transaction.

    A row outlives its file, never the other way round: what a crash leaves is found again.
    """
    for credential in Credential.objects.filter(participant=participant):
        credential.file.delete(save=False)
        credential.delete()


def _forget(events: Iterable[StudyEvent | SessionEvent], names: set[str]) -> None:
    for event in events:
        if names.isdisjoint(event.details):
            continue
        event.details = {name: value for name, value in event.details.items() if name not in names}
        event.save(update_fields=["details"])
