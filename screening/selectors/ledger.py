"""The ledger of exclusions: everybody who was flagged and is decided, with the reason that counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from screening.models import Verdict, VerdictDecision
from screening.offtask.facts import ParticipantReason
from screening.offtask.readings import Reading
from screening.selectors import participants
from studies.models import Study

NOT_COUNTED, COUNTED, EVERYBODY = "excluded", "counted", "all"


@dataclass(frozen=True)
class LedgerLine:
    """One decided person. `readings` counts everybody who read them, `settled` whether a third decided."""

    code: str
    counted: bool
    found: str
    reason: str
    readings: int
    settled: bool
    decided_at: datetime


LEDGER_SORTS = {"person": "participant__code", "counted": "decision", "decided": "decided_at"}


def ledger_people(study: Study, show: str, sort: str = "") -> list[tuple[str, int]]:
    """Code and deciding verdict of the decided people that `show` asks for, by code unless `sort` names a
    column; with a "-" downwards.
    """
    decided = participants.final_verdicts(study)
    decided = decided.filter(participant__in=participants.flagged_participants(study).order_by().values("pk"))
    if show in {NOT_COUNTED, COUNTED}:
        wanted = VerdictDecision.CONFIRM if show == NOT_COUNTED else VerdictDecision.OVERTURN
        decided = decided.filter(decision=wanted)
    column = LEDGER_SORTS.get(sort.removeprefix("-"), "participant__code")
    order = f"-{column}" if sort.startswith("-") else column
    return list(decided.order_by(order, "participant__code").values_list("participant__code", "pk"))


def ledger_lines(study: Study, people: Sequence[tuple[str, int]]) -> list[LedgerLine]:
    """The lines of these people, in this order. Two queries for any number."""
    codes = [code for code, _verdict in people]
    verdicts: dict[str, list[Verdict]] = {}
    given = participants.current_verdicts().filter(participant__study=study, participant__code__in=codes)
    for verdict in given.select_related("participant").order_by("pk"):
        verdicts.setdefault(verdict.participant.code, []).append(verdict)
    flags: dict[str, list[str]] = {}
    of_people = participants.current_participant_flags().filter(
        participant__study=study, participant__code__in=codes
    )
    for code, reason in of_people.order_by("pk").values_list("participant__code", "reason"):
        flags.setdefault(code, []).append(_(ParticipantReason(reason).sentence))
    lines = []
    for code in codes:
        newest = verdicts[code][-1]
        lines.append(
            LedgerLine(
                code=code,
                counted=newest.decision != VerdictDecision.CONFIRM,
                found=" ".join(dict.fromkeys(flags.get(code, ()))),
                reason=newest.reason,
                readings=len({verdict.decided_by_id for verdict in verdicts[code]}),
                settled=newest.reading == Reading.SETTLING,
                decided_at=newest.decided_at,
            )
        )
    return lines
