"""What reviewers decide about flagged participants. Verdicts are only ever added; the newest one counts."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from screening.models import ParticipantFlag, Verdict, VerdictDecision
from screening.offtask.readings import (
    Given,
    LeftOpen,
    Reading,
    ReadingProblem,
    ReadingRefused,
    is_drawn,
    next_reading,
)
from screening.selectors import participants
from screening.selectors.screening import second_share
from studies.models import Participant, Study, User
from studies.services.events import StudyEventKind, participant_event
from studies.services.people.participants import participant_lock
from studies.services.refusals import Refused

PROBLEMS: dict[ReadingProblem, Promise] = {
    ReadingProblem.SECOND_IS_ANOTHER: gettext_lazy(
        "You have read %(code)s already; the next verdict comes from another reviewer."
    ),
    ReadingProblem.SETTLED_BY_ANOTHER: gettext_lazy(
        "The reviewers of %(code)s disagree, and you are one of them; a third one or the lead settles it."
    ),
    ReadingProblem.SETTLING_DECIDES: gettext_lazy(
        "Two reviewers disagree about %(code)s: settle it. Choose whether the answers count."
    ),
}


class VerdictRefused(Refused):
    """The verdict cannot be recorded; nothing was changed."""


class DecidedMeanwhile(VerdictRefused):
    """Somebody else gave a verdict since the page was opened."""


@transaction.atomic
def verdict_record(
    *,
    participant: Participant,
    decision: VerdictDecision,
    reason: str,
    actor: User,
    now: datetime,
    reason_code: str = "",
    seen_verdict_id: int | None = None,
    settles: bool = False,
) -> Verdict:
    """Append a reviewer's decision; the newest one counts.

    Whether another reviewer is asked next is decided here: in doubt, for the study's share, and where two
    disagree. `reason_code` names the reason of the protocol that was chosen, if one was. `seen_verdict_id` is
    the newest verdict when the reviewer opened the page (None: there was none); `settles`: they may settle
    what they read themselves. Raises VerdictRefused without a reason or a flag, for a session that is not
    over, for who may not give the next verdict, and DecidedMeanwhile.
    """
    if not reason.strip():
        raise VerdictRefused(_("A verdict needs a reason; write why."))
    participant = participant_lock(participant)
    flag = _flag_of(participant)
    given = list(participants.current_verdicts().filter(participant=participant).order_by("pk"))
    if (given[-1].pk if given else None) != seen_verdict_id:
        raise DecidedMeanwhile(
            _("Somebody decided about %(code)s since you opened the page. Read it and decide again.")
            % {"code": participant.code}
        )
    reading, left = _next(participant, given, decision, actor, settles=settles)
    return _store(participant, flag, decision, reason, reason_code, reading, left, actor, now)


@transaction.atomic
def verdicts_confirm_all(*, study: Study, reason: str, actor: User, now: datetime) -> list[Verdict]:
    """Confirm the exclusion of every flagged participant who has no verdict yet; no second reading follows.

    For studies that declare in advance that flags exclude. Raises VerdictRefused without a reason.
    """
    if not reason.strip():
        raise VerdictRefused(_("A verdict needs a reason; write why."))
    decision, reading = VerdictDecision.CONFIRM, Reading.FIRST
    return [
        _store(person, _flag_of(person), decision, reason, "", reading, LeftOpen.NOTHING, actor, now)
        for person in participants.unread_participants(study)
    ]


def _flag_of(participant: Participant) -> ParticipantFlag:
    """The newest flag that puts the person before reviewers. Raises VerdictRefused."""
    if not participants.screened_participants(participant.study).filter(pk=participant.pk).exists():
        raise VerdictRefused(_("%(code)s has no ended session to decide about.") % {"code": participant.code})
    flag = participants.current_participant_flags().filter(participant=participant).order_by("-pk").first()
    if flag is None:
        raise VerdictRefused(
            _("No rule flags %(code)s; there is nothing to confirm or overturn.") % {"code": participant.code}
        )
    return flag


def _next(
    participant: Participant,
    given: Sequence[Verdict],
    decision: VerdictDecision,
    actor: User,
    *,
    settles: bool,
) -> tuple[Reading, LeftOpen]:
    share = second_share(participant.study)
    try:
        return next_reading(
            [
                Given(verdict.decided_by_id, verdict.decision, verdict.reading, verdict.leaves_open)
                for verdict in given
            ],
            rater=actor.pk,
            decision=decision,
            drawn=is_drawn(participant.study.slug, participant.code, share or 0.0),
            compares=share is not None,
            settles=settles,
        )
    except ReadingRefused as refusal:
        raise VerdictRefused(PROBLEMS[refusal.problem] % {"code": participant.code}) from None


def _store(
    participant: Participant,
    flag: ParticipantFlag,
    decision: VerdictDecision,
    reason: str,
    reason_code: str,
    reading: Reading,
    left: LeftOpen,
    actor: User,
    now: datetime,
) -> Verdict:
    verdict = Verdict.objects.create(
        participant=participant, rules_version=flag.rules_version, decision=decision, reason=reason.strip(),
        reason_code=reason_code, decided_by=actor, decided_at=now, reading=reading, leaves_open=left,
    )  # fmt: skip
    # Not what was decided: whoever reads second may read the trail.
    participant_event(
        participant, StudyEventKind.VERDICT_GIVEN, now, actor=actor,
        verdict=verdict.pk, reading=reading.value, leaves_open=left.value,
    )  # fmt: skip
    return verdict
