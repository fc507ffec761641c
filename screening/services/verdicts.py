"""What reviewers decide about flagged participants. Verdicts are only ever added; the newest one counts."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from screening.models import Verdict, VerdictDecision
from screening.selectors import participants
from studies.models import Participant, Study, User
from studies.services.refusals import Refused


class VerdictRefused(Refused):
    """The verdict cannot be recorded; nothing was changed."""


@transaction.atomic
def verdict_record(
    *,
    participant: Participant,
    decision: VerdictDecision,
    reason: str,
    actor: User,
    now: datetime,
    seen_verdict_id: int | None = None,
) -> Verdict:
    """Append a reviewer's decision; the newest one counts.

    `seen_verdict_id` is the newest verdict the reviewer had in front of them (None: there was none).
    Raises VerdictRefused without a reason or a flag, for a session that is not over, and where somebody else
    decided in the meantime.
    """
    if not reason.strip():
        raise VerdictRefused(_("A verdict needs a reason; write why."))
    participant = Participant.objects.select_for_update().get(pk=participant.pk)
    if not participants.screened_participants(participant.study).filter(pk=participant.pk).exists():
        raise VerdictRefused(_("%(code)s has no ended session to decide about.") % {"code": participant.code})
    flag = participants.current_participant_flags().filter(participant=participant).order_by("-pk").first()
    if flag is None:
        raise VerdictRefused(
            _("No rule flags %(code)s; there is nothing to confirm or overturn.") % {"code": participant.code}
        )
    newest = participants.current_verdicts().filter(participant=participant).order_by("-pk").first()
    if (newest.pk if newest else None) != seen_verdict_id:
        raise VerdictRefused(
            _("Somebody decided about %(code)s since you opened the page. Read it and decide again.")
            % {"code": participant.code}
        )
    return Verdict.objects.create(
        participant=participant, rules_version=flag.rules_version, decision=decision, reason=reason.strip(),
        decided_by=actor, decided_at=now,
    )  # fmt: skip


@transaction.atomic
def verdicts_confirm_all(*, study: Study, reason: str, actor: User, now: datetime) -> list[Verdict]:
    """Confirm the exclusion of every flagged participant who has no verdict yet.

    For studies that declare in advance that flags exclude. Raises VerdictRefused without a reason.
    """
    return [
        verdict_record(
            participant=participant, decision=VerdictDecision.CONFIRM, reason=reason, actor=actor, now=now
        )
        for participant in participants.undecided_participants(study)
    ]
