"""From recruited to retained, in numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import (
    BooleanField,
    CharField,
    Count,
    ExpressionWrapper,
    F,
    IntegerField,
    Q,
    Value,
)
from django.db.models.functions import Coalesce

from batches.models import Answer, BatchPrompt, Session
from batches.rules.statuses import VOID, AnswerState, SessionStatus, answer_state
from batches.rules.sums import states_of
from batches.selectors.sums import letters_by_set
from screening.selectors import participants
from studies.models import Participant, Study, VettingStatus
from studies.selectors.private_questions import of_public
from studies.services.database import snapshot

PEOPLE = "people"


@dataclass(frozen=True)
class StudyFlow:
    """People of a study; test participants are counted apart and nowhere else.

    `withdrawn` are sessions that people withdrew, `voided` those that the study team voided.

    `answers` counts the answers of all sessions by state, `answers_retained` those of retained participants;
    with `public_only` in `study_flow` those to public prompts.
    """

    recruited: int
    approved: int
    rejected: int
    started: int
    active: int
    submitted: int
    expired: int
    withdrawn: int
    voided: int
    flagged: int
    excluded: int
    retained: int
    test_participants: int
    answers: dict[str, int]
    answers_retained: dict[str, int]


class _People(NamedTuple):
    """How many people are alike in all that decides at which step they are."""

    status: str  # of their session; empty before it starts
    vetting: str
    is_test: bool
    voided: bool
    flagged: bool
    excluded: bool
    number: int


class _Answers(NamedTuple):
    """How many answers are alike in all that decides their state, and how many are of who is retained."""

    status: str
    voided: bool
    seen: bool
    saved: bool
    has_text: bool
    number: int
    retained: int


@snapshot()
def study_flow(study: Study, *, public_only: bool = False) -> StudyFlow:
    """Count everything as it is now: three queries, and one for the public prompts."""
    people: list[_People] = []
    answers: list[_Answers] = []
    for of, status, vetting, *facts, number, retained in _people(study).union(
        _answers(study, public_only), all=True
    ):
        if of == PEOPLE:
            people.append(_People._make((status, vetting, *facts, number)))
        else:
            answers.append(_Answers._make((status, *facts, number, retained)))
    of_everybody, of_retained = _answer_states(study, answers, public_only)
    return StudyFlow(**_steps(people), answers=of_everybody, answers_retained=of_retained)


def _people(study: Study) -> Any:
    """People by what they have in common."""
    flagged = participants.flagged_participants(study).order_by().values("pk")
    excluded = participants.excluded_participants(study).values("pk")
    facts = {
        "voided": _whether(session__voided_at__isnull=False),
        "flagged": _whether(pk__in=flagged),
        "excluded": _whether(pk__in=excluded),
    }
    of_study = Participant.objects.filter(study=study).order_by()
    alike = of_study.annotate(of=_text(PEOPLE), status=Coalesce("session__status", _text("")), **facts)
    return (
        alike.values("of", "status", "vetting_status", "is_test", *facts)
        .annotate(number=Count("pk"), retained=Value(0, output_field=IntegerField()))
        .values_list("of", "status", "vetting_status", "is_test", *facts, "number", "retained")
    )


def _answers(study: Study, public_only: bool) -> Any:
    """Answers of sessions that are not counted by what they have in common, in the columns of `_people`."""
    of_people = {
        "session__participant__study": study,
        "session__participant__is_test": False,
        "session__counted_at": None,
    }
    of_study = Answer.objects.filter(**of_people).order_by()
    if public_only:
        of_study = of_study.filter(of_public("prompt"))
    facts = {
        "voided": _whether(session__voided_at__isnull=False),
        "seen": _whether(first_seen_at__isnull=False),
        "saved": _whether(revision__gt=0),
    }
    retained = Q(session__participant__in=participants.retained_participants(study).values("pk"))
    alike = of_study.annotate(of=_text("answers"), status=F("session__status"), vetting=_text(""), **facts)
    return (
        alike.values("of", "status", "vetting", *facts, "has_text")
        .annotate(number=Count("pk"), retained=Count("pk", filter=retained))
        .values_list("of", "status", "vetting", *facts, "has_text", "number", "retained")
    )


def _whether(**holds: Any) -> "ExpressionWrapper[Q]":
    return ExpressionWrapper(Q(**holds), output_field=BooleanField())


def _text(text: str) -> Value:
    return Value(text, output_field=CharField())


def _steps(people: Sequence[_People]) -> dict[str, int]:
    """The people at each step, by the names of `StudyFlow`."""
    status, vetting = SessionStatus, VettingStatus
    steps: Mapping[str, Callable[[_People], bool]] = {
        "recruited": lambda group: True,
        "approved": lambda group: group.vetting == vetting.APPROVED,
        "rejected": lambda group: group.vetting == vetting.REJECTED,
        "started": lambda group: group.status != "",
        "active": lambda group: group.status == status.ACTIVE,
        "submitted": lambda group: group.status == status.SUBMITTED,
        "expired": lambda group: group.status == status.EXPIRED,
        "withdrawn": lambda group: group.status == status.WITHDRAWN and not group.voided,
        "voided": lambda group: group.voided,
        "flagged": lambda group: group.flagged,
        "excluded": lambda group: group.excluded,
        "retained": lambda group: group.status in participants.ENDED and not group.excluded,
    }
    counted = [group for group in people if not group.is_test]
    numbers = {name: sum(group.number for group in counted if holds(group)) for name, holds in steps.items()}
    return {**numbers, "test_participants": sum(group.number for group in people if group.is_test)}


def _answer_states(
    study: Study, answers: Iterable[_Answers], public_only: bool
) -> tuple[dict[str, int], dict[str, int]]:
    """How many answers are in each state, of everybody and of who is retained; all are named, `void` where
    there is one.
    """
    totals: Counter[str] = Counter(dict.fromkeys(map(str, AnswerState), 0))
    of_retained = totals.copy()
    for group in answers:
        state = answer_state(
            session_status=SessionStatus(group.status),
            first_seen=group.seen,
            revisions=int(group.saved),
            has_text=group.has_text,
        )
        name = VOID if group.voided else state.value
        totals[name] += group.number
        if group.retained:
            of_retained[name] += group.retained
    # Of the other sessions the numbers of answers are stored by what decides their state.
    sessions = Session.objects.filter(participant__study=study, participant__is_test=False).annotate(
        voided=_whether(voided_at__isnull=False),
        retained=_whether(participant__in=participants.retained_participants(study).values("pk")),
    )
    placed = BatchPrompt.objects.filter(of_public("prompt"), batch__plan__study=study)
    prompts = set(map(int, placed.values_list("prompt", flat=True))) if public_only else None
    for (status, voided, retained), letters in letters_by_set(
        study, sessions, prompts, "status", "voided", "retained"
    ):
        for state, number in zip(states_of(letters, SessionStatus(status)), letters.values(), strict=True):
            name = VOID if voided else state.value
            totals[name] += number
            if retained:
                of_retained[name] += number
    return dict(totals), dict(of_retained)
