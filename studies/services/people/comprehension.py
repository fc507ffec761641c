"""The comprehension check: trying it, and letting somebody try once more."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import get_language, gettext as _

from studies.models import ComprehensionAttempt, Participant, StudyStatus, User
from studies.roles import Can
from studies.selectors.participants import (
    check_attempts_left,
    check_passed,
    has_valid_consent,
    questions_sha256,
)
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right


class CheckNotAsked(Refused):
    """The person need not, or may not yet, take the check."""


class NoAttemptsLeft(Refused):
    """Every try was used; the study team may allow another."""


class AttemptCounted(Refused):
    """This try was sent before, from this page or from another tab."""


class QuestionsChanged(Refused):
    """The questions were amended between being shown and being answered; no try was used."""

    def __init__(self) -> None:
        super().__init__(
            _("The questions were changed while you were answering. No try was used; please answer these.")
        )


class AttemptNotGranted(Refused):
    """There is no need for one more try, or no reason was given."""


@transaction.atomic
def check_answer(
    *, participant: Participant, choices: Sequence[int], attempt: int, shown_sha256: str, now: datetime
) -> ComprehensionAttempt:
    """Count one try. `choices` are the numbers of the chosen options, from 1, one per question.

    `attempt` is the number of the try the page offered and `shown_sha256` the hash of its questions: a double
    click or a second tab uses up no further try. Raises CheckNotAsked, AttemptCounted, QuestionsChanged or
    NoAttemptsLeft.
    """
    participant = participant_lock(participant)
    require_check_asked(participant)
    protocol = participant.study.protocol
    used = participant.check_tries.count()
    if attempt != used + 1:
        raise AttemptCounted(_("This try was counted already. Below you see what came of it."))
    if shown_sha256 != questions_sha256(protocol):
        raise QuestionsChanged
    if used >= participant.check_attempts:
        raise NoAttemptsLeft(_("You have used all your tries. The study team may allow you another one."))
    # In full and as read, so that the record can be read after an amendment of the questions.
    entries = protocol.entries_in("check_questions", get_language() or "")[0]
    answers: list[dict[str, object]] = [
        {
            "question": read.splitlines()[0],
            "answer": read.splitlines()[choice],
            "right": choice == question.correct,
        }
        for question, read, choice in zip(protocol.check_questions, entries, choices, strict=True)
    ]
    return _record(participant, answers, now)


@transaction.atomic
def check_attempt_grant(
    *, participant: Participant, reason: str, now: datetime, actor: User | None = None
) -> Participant:
    """Let the person try once more. Raises AttemptNotGranted where they need no further try."""
    participant = participant_lock(participant)
    require_right(actor, participant.study, Can.DECIDE_PEOPLE)
    if not reason.strip():
        raise AttemptNotGranted(_("Write why this person gets another try; the reason is kept."))
    if check_passed(participant):
        raise AttemptNotGranted(_("No further try is needed: the check is passed or not asked."))
    if check_attempts_left(participant):
        raise AttemptNotGranted(_("This person has a try left; grant another one when it is used."))
    participant.check_attempts += 1
    participant.save(update_fields=["check_attempts"])
    kind, number = StudyEventKind.CHECK_ATTEMPT_GRANTED, participant.check_attempts
    participant_event(participant, kind, now, actor=actor, check_attempts=number, reason=reason.strip())
    return participant


def require_check_asked(participant: Participant) -> None:
    """Raise CheckNotAsked unless the person is to answer the check questions now."""
    if not participant.study.protocol.comprehension_check:
        raise CheckNotAsked(_("This study has no check questions."))
    if participant.study.status != StudyStatus.FROZEN:
        raise CheckNotAsked(_("The study is not open; there is nothing to answer now."))
    if has_withdrawn(participant):
        raise CheckNotAsked(_("You have withdrawn from this study, so there is nothing to answer."))
    if check_passed(participant):
        raise CheckNotAsked(_("You have answered the check questions; you need not do it again."))
    if not participant.approved:
        raise CheckNotAsked(_("The check questions come after the study team's decision."))
    if not has_valid_consent(participant):
        raise CheckNotAsked(_("Please read the consent text and agree to it first."))


def _record(
    participant: Participant, answers: list[dict[str, object]], now: datetime
) -> ComprehensionAttempt:
    correct = sum(1 for answer in answers if answer["right"])
    passed = correct == len(answers)
    attempt = ComprehensionAttempt.objects.create(
        participant=participant, choices=answers, correct=correct, passed=passed, attempted_at=now
    )
    participant_event(
        participant,
        StudyEventKind.CHECK_PASSED if passed else StudyEventKind.CHECK_FAILED,
        now,
        actor=participant.user,
        correct=correct,
        questions=len(answers),
        attempts_left=check_attempts_left(participant),
    )
    return attempt
