"""The profile form: what people say about themselves before the study team decides."""

import json
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Participant, ProfileForm, StudyStatus, VettingStatus
from studies.selectors.participants import credentials_of, has_valid_consent, newest_profile
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.people.credentials import CheckedFile, credential_add, file_kept
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused
from studies.services.storage import storage_take

OPEN_STATUSES = (VettingStatus.INVITED, VettingStatus.SUBMITTED)


class ProfileClosed(Refused):
    """The form is not taken any more."""


class ConsentMissing(Refused):
    """Nobody is asked about themselves before they have agreed to what holds now."""

    def __init__(self) -> None:
        super().__init__(_("Please read the consent text and decide before you fill in the profile form."))


class CredentialMissing(Refused):
    """The study requires a file and has none of this person."""


def profile_submit(
    *, participant: Participant, answers: Mapping[str, str], file: CheckedFile | None, now: datetime
) -> ProfileForm:
    """Keep the answers, and the file if there is one; an invited person waits for the decision from now on.

    May be sent again until the decision; the newest form and the newest file count. The same answers again
    without a file change nothing. Raises ProfileClosed, ConsentMissing, CredentialMissing,
    CredentialRefused, CredentialNotStored or StorageFull.
    """
    with file_kept(file) as token, transaction.atomic():
        participant = participant_lock(participant)
        require_profile_open(participant)
        if not has_valid_consent(participant):
            raise ConsentMissing
        file_required = participant.study.protocol.credential_file == "required"
        if file is not None:
            credential_add(participant=participant, file=file, token=token, now=now)
        elif file_required and not credentials_of(participant).exists():
            raise CredentialMissing(_("This study needs a file that supports your profile. Choose one."))
        answers, newest = dict(answers), newest_profile(participant)
        if file is None and newest is not None and newest.answers == answers:
            return newest
        storage_take(participant=participant, size=len(json.dumps(answers)))
        form = ProfileForm.objects.create(participant=participant, answers=answers, submitted_at=now)
        if participant.vetting_status == VettingStatus.INVITED:
            participant.vetting_status = VettingStatus.SUBMITTED
            participant.submitted_at = now
            participant.save(update_fields=["vetting_status", "submitted_at"])
        participant_event(participant, StudyEventKind.PROFILE_SUBMITTED, now, actor=participant.user)
        return form


def require_profile_open(participant: Participant) -> None:
    """Raise ProfileClosed unless the person may send the form now."""
    if participant.study.status == StudyStatus.CLOSED:
        raise ProfileClosed(_("The study is closed; the profile form is not needed any more."))
    if participant.vetting_status not in OPEN_STATUSES:
        raise ProfileClosed(
            _("The study team has decided already, so the form cannot be changed. Write to the team instead.")
        )
    if has_withdrawn(participant):
        raise ProfileClosed(_("You have withdrawn from this study, so there is nothing to send."))
