"""How evenly the answers of a study lie: over its questions, and over its arms where it compares any."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from django.db.models import Count, Q

from batches.models import BatchSlot, Session
from batches.rules.statuses import SessionStatus
from batches.selectors.sums import sessions_to_score, written_by_prompt
from studies.models import Study

ENDED = (SessionStatus.SUBMITTED, SessionStatus.EXPIRED)


@dataclass(frozen=True)
class AnswersPerQuestion:
    """How many answers that count the questions of the study have by now."""

    least: int
    middle: int
    most: int
    without: int


@dataclass(frozen=True)
class ArmFilled:
    """How far the places of an arm are filled."""

    name: str
    ended: int
    running: int
    places: int


def answers_per_question(study: Study, questions: int) -> AnswersPerQuestion | None:
    """Over all `questions` of the bank; None where it has none. Three queries."""
    counts = sorted(written_by_prompt(study, sessions_to_score(study)).values())
    counts = [0] * (questions - len(counts)) + counts
    if not counts:
        return None
    return AnswersPerQuestion(counts[0], median_low(counts), counts[-1], counts.count(0))


def arms_filled(study: Study) -> Sequence[ArmFilled]:
    """In the order of the protocol; nothing, and no query, where it compares none."""
    arms = study.protocol.arm_slugs
    if not arms:
        return ()
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False).order_by()
    people = {
        arm: (ended, running)
        for arm, ended, running in sessions.values_list("arm").annotate(
            ended=Count("pk", filter=Q(status__in=ENDED)),
            running=Count("pk", filter=Q(status=SessionStatus.ACTIVE)),
        )
    }
    slots = BatchSlot.objects.filter(batch__plan__study=study).order_by()
    places = dict(slots.values_list("arm").annotate(places=Count("pk")))
    return [ArmFilled(arm, *people.get(arm, (0, 0)), places.get(arm, 0)) for arm in arms]
