"""Flags and verdicts where a batch was reopened."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Session
from batches.services.ending import session_submit
from batches.services.extending import session_reopen
from screening.models import AnswerFlag, ParticipantFlag
from screening.selectors.cases import case_shown, decided_queue, flagged_work, waiting_queue
from screening.selectors.participants import (
    excluded_participants,
    retained_participants,
    undecided_participants,
)
from screening.services.screening import study_screen
from screening.services.verdicts import VerdictRefused, verdicts_confirm_all
from studies.models import Participant, Study, User
from tests.support.screened_people import GOOD, OFF_TASK, codes, confirm

pytestmark = pytest.mark.django_db
Work = Callable[..., Session]


def test_flags_on_a_batch_that_was_reopened_and_improved_are_replaced(
    study: Study, person: Callable[..., Participant], work: Work, now: datetime
) -> None:
    participant, other = person(), person()
    session, tomorrow = work(participant, OFF_TASK), now + timedelta(days=1)
    work(other, OFF_TASK)
    study_screen(study=study, now=now)
    session_reopen(session=session, reason="Handed in by mistake", now=tomorrow)
    study_screen(study=study, now=tomorrow)
    assert ParticipantFlag.objects.filter(participant=participant).exists()
    session.answers.update(text=GOOD, revision=2)
    session_submit(session=session, resources=None, now=tomorrow)
    study_screen(study=study, now=tomorrow + timedelta(hours=1))
    assert not ParticipantFlag.objects.filter(participant=participant).exists()
    assert not AnswerFlag.objects.filter(answer__session=session).exists()
    assert ParticipantFlag.objects.filter(participant=other).exists()


def test_what_was_found_before_a_reopening_counts_no_more_even_before_new_screening(
    study: Study, person: Callable[..., Participant], work: Work, lead: User, now: datetime
) -> None:
    decided, waiting = person(), person()
    sessions = [work(decided, OFF_TASK), work(waiting, OFF_TASK)]
    study_screen(study=study, now=now)
    confirm(decided, lead, now)
    tomorrow = now + timedelta(days=1)
    for session in sessions:
        session_reopen(session=session, reason="Handed in by mistake", now=tomorrow)
        session.answers.update(text=GOOD, revision=2)
        session_submit(session=session, resources=None, now=tomorrow)
    assert waiting_queue(study, lead, settles=True) == []
    assert decided_queue(study) == []
    assert codes(retained_participants(study)) == {decided.code, waiting.code}
    assert not excluded_participants(study).exists()
    assert verdicts_confirm_all(study=study, reason="Declared.", actor=lead, now=tomorrow) == []
    with pytest.raises(VerdictRefused, match="nothing to confirm"):
        confirm(waiting, lead, tomorrow)
    study_screen(study=study, now=tomorrow + timedelta(hours=1))
    assert codes(retained_participants(study)) == {decided.code, waiting.code}


def test_somebody_flagged_again_after_a_reopening_waits_for_a_new_verdict(
    study: Study, person: Callable[..., Participant], work: Work, lead: User, now: datetime
) -> None:
    participant = person()
    session = work(participant, OFF_TASK)
    study_screen(study=study, now=now)
    confirm(participant, lead, now)
    tomorrow = now + timedelta(days=1)
    session_reopen(session=session, reason="Handed in by mistake", now=tomorrow)
    session_submit(session=session, resources=None, now=tomorrow)
    study_screen(study=study, now=tomorrow + timedelta(hours=1))
    assert codes(undecided_participants(study)) == {participant.code}
    flagged = flagged_work(study, [participant.code])
    case = case_shown(study, flagged, participant.code, lead, settles=True)
    assert case is not None
    assert (case.newest, case.waits_for, case.verdicts) == (None, "first", ())
    confirm(participant, lead, tomorrow + timedelta(hours=2))
    assert codes(excluded_participants(study)) == {participant.code}
