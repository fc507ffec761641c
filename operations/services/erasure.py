"""Deleting the data of people who withdrew, once the promised time has come; repeating it is harmless."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from batches.selectors.deletion import people_to_erase
from batches.services.deletion import credential_files_delete, person_texts_delete
from judging.models import AuditItem, CriterionScore, JudgeCall, JudgingRun, RowState
from judging.services.running.counting import runs_uncount
from judging.services.running.deciding import given_up, runs_lock
from scoring.models import MeasureRow
from scoring.services.export_deleting import files_expire
from screening.models import AnswerFlag, ParticipantFlag, Verdict
from studies.models import Invitation, MailOutcome, MailRecord, OutgoingMail, Participant, StudyEvent
from studies.services.events import StudyEventKind, participant_event
from studies.services.people.credentials import stray_files_delete
from studies.services.people.participants import participant_lock

# Where no server sends mails, they are kept as files, with address and link; pages say for how long.
MAIL_FILES_KEPT = timedelta(days=7)
# In place of a verdict's reason: a verdict has one.
GONE = "–"

logger = logging.getLogger(__name__)


def withdrawn_erase(*, now: datetime) -> int:
    """Delete what is due, person by person; return of how many. The next run continues what breaks off.

    Files that a crash left behind without a row go, too, what a judge said late, and exports that are over or
    hold the people's rows, and old files of mails.
    """
    due = people_to_erase(now)
    for participant in Participant.objects.filter(pk__in=due):
        _person_erase(participant, now)
    # What a call that was under way at a deletion brought afterwards (most store nothing), and what a
    # reviewer wrote.
    gone = StudyEvent.objects.filter(kind=StudyEventKind.DATA_DELETED).values("participant")
    scores = CriterionScore.objects.filter(answer__session__participant__in=gone)
    scores.exclude(explanation="").update(explanation="")
    calls = JudgeCall.objects.filter(answer__session__participant__in=gone)
    calls.exclude(raw_reply="").update(raw_reply="")
    Verdict.objects.filter(participant__in=gone).exclude(reason=GONE).update(reason=GONE)
    _files_delete(now)
    return len(due)


def _person_erase(participant: Participant, now: datetime) -> None:
    with transaction.atomic():
        # Two runs at once take turns; invitations and judging runs before people, as elsewhere.
        invitations = Invitation.objects.filter(study=participant.study_id, email=participant.user.email)
        list(invitations.select_for_update(no_key=True).order_by("pk").values_list("pk"))
        verdicts = CriterionScore.objects.filter(answer__session__participant=participant)
        runs_lock(set(verdicts.order_by().values_list("judging_run", flat=True).distinct()))
        participant = participant_lock(participant)
        _quotes_delete(participant, now)
        # What was measured of this one person before they withdrew; no later measurement holds them.
        measures = MeasureRow.objects.filter(participant=participant.code)
        measures.filter(results__run__study=participant.study).delete()
        kept: dict[str, Any] = person_texts_delete(participant)
        # A mail that waits may quote a reason.
        waiting = MailRecord.objects.filter(participant=participant, mail__isnull=False)
        waiting.update(outcome=MailOutcome.CANCELLED, decided_at=now)
        OutgoingMail.objects.filter(record__participant=participant).delete()
        participant_event(participant, StudyEventKind.DATA_DELETED, now, **kept)
    # Files know no transactions: they go once the rows are gone for good.
    try:
        credential_files_delete(participant)
    except OSError:
        # One file that cannot be removed now must not keep the next people's data; the next run tries again.
        logger.exception("could not delete a file", extra={"participant": participant.code})
        return
    logger.info("deleted the data of a person who withdrew", extra={"participant": participant.code})


def _quotes_delete(participant: Participant, now: datetime) -> None:
    """Empty what scoring quotes from the answers; scores stay, and count nowhere.

    A call under way loses its lease first, so that what it brings is refused.
    """
    verdicts = CriterionScore.objects.filter(answer__session__participant=participant)
    under_way = verdicts.filter(state=RowState.OPEN)
    runs_uncount(JudgingRun.objects.filter(pk__in=under_way.values("judging_run")))
    under_way.filter(asked_with=None).update(lease=None)
    under_way.exclude(asked_with=None).update(**given_up(now))
    verdicts.update(explanation="")
    JudgeCall.objects.filter(answer__session__participant=participant).update(raw_reply="")
    AuditItem.objects.filter(row__answer__session__participant=participant).update(comment="")
    AnswerFlag.objects.filter(answer__session__participant=participant).update(evidence="")
    ParticipantFlag.objects.filter(participant=participant).update(evidence="")
    Verdict.objects.filter(participant=participant).update(reason=GONE)


def _files_delete(now: datetime) -> None:
    """Files of nobody, exports and mails; one that cannot be removed now does not keep the others."""
    try:
        number = stray_files_delete(now=now)
        if number:
            logger.warning("deleted files that a crash had left behind", extra={"files": number})
    except OSError:
        logger.exception("could not delete a file that belongs to nobody")
    try:
        files_expire(now=now)
    except OSError:
        logger.exception("could not delete an export")
    oldest = (now - MAIL_FILES_KEPT).timestamp()
    try:
        for file in (settings.DATA_DIR / "mail").glob("*.log"):
            if file.stat().st_mtime < oldest:
                file.unlink(missing_ok=True)
    except OSError:
        logger.exception("could not delete a file of mails")
