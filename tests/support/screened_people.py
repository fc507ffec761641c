"""People by what the screening says of them."""

from datetime import datetime

from screening.models import Verdict, VerdictDecision
from screening.services.verdicts import verdict_record
from studies.models import Participant, User

GOOD = "The deck passes its weight to the piers, which stand under compression on the ground below."
OFF_TASK = {f"p{n}": "no idea" for n in range(1, 5)}


def codes(people: object) -> set[str]:
    return {participant.code for participant in people}  # type: ignore[attr-defined]


def confirm(participant: Participant, lead: User, now: datetime, **more: object) -> Verdict:
    given = {
        "decision": VerdictDecision.CONFIRM,
        "reason": "Nothing was answered.",
        "actor": lead,
        "now": now,
    }
    return verdict_record(participant=participant, **{**given, **more})  # type: ignore[arg-type]
