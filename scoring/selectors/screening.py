"""What the off-task rules found, as reviewers and reports see it: never a score, a profile or a name."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Prefetch

from scoring.models import AnswerFlag, ParticipantFlag, Verdict, VerdictDecision
from scoring.offtask.rules import ParticipantReason, ReasonCode
from scoring.selectors.participants import (
    excluded_participants,
    flagged_participants,
    screened_participants,
    undecided_participants,
)
from studies.models import Participant, Study

EXCERPT_CHARACTERS = 600


@dataclass(frozen=True)
class Screening:
    """Flags under one version of the rules, and what became of the flagged people under any."""

    rules_version: str
    participants: int
    answers: dict[str, int]
    people: dict[str, int]
    undecided: int
    excluded: int


@dataclass(frozen=True)
class FlagShown:
    """One flag: what it means, and what the rule saw."""

    sentence: str
    evidence: str
    position: int | None = None
    excerpt: str = ""
    shortened: bool = False


@dataclass(frozen=True)
class CaseShown:
    """Everything a reviewer sees of one flagged participant. `newest` is the verdict that counts."""

    participant_id: int
    code: str
    flags: tuple[FlagShown, ...]
    answers: tuple[FlagShown, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def newest(self) -> Verdict | None:
        return self.verdicts[-1] if self.verdicts else None


def screening_summary(study: Study, rules_version: str) -> Screening:
    """Count the stored flags of ended sessions."""
    people = screened_participants(study).values("pk")
    of_answers = AnswerFlag.objects.filter(
        answer__session__participant__in=people, rules_version=rules_version
    )
    of_people = ParticipantFlag.objects.filter(participant__in=people, rules_version=rules_version)
    return Screening(
        rules_version=rules_version,
        participants=people.count(),
        answers=dict(of_answers.values_list("reason").annotate(flags=Count("pk")).order_by("reason")),
        people=dict(of_people.values_list("reason").annotate(flags=Count("pk")).order_by("reason")),
        undecided=undecided_participants(study).count(),
        excluded=excluded_participants(study).count(),
    )


def screening_cases(study: Study) -> list[CaseShown]:
    """Every flagged participant, those without a verdict first, then by code. Five queries for any number."""
    people = (
        flagged_participants(study)
        .only("code")
        .prefetch_related(
            Prefetch("flags", ParticipantFlag.objects.order_by("pk"), to_attr="flags_in_order"),
            Prefetch(
                "verdicts", Verdict.objects.select_related("decided_by").order_by("pk"), to_attr="decisions"
            ),
        )
    )
    found = list(people)
    answers = answer_flags(found)
    cases = [case_shown(participant, answers.get(participant.pk, ())) for participant in found]
    return sorted(cases, key=lambda case: (case.newest is not None, case.code))


def answer_flags(people: Sequence[Participant]) -> dict[int, list[AnswerFlag]]:
    """The flagged answers of each participant, in the order of the batch."""
    flags = AnswerFlag.objects.filter(answer__session__participant__in=people).select_related(
        "answer__session"
    )
    grouped: dict[int, list[AnswerFlag]] = {}
    for flag in flags.order_by("answer__position", "pk"):
        grouped.setdefault(flag.answer.session.participant_id, []).append(flag)
    return grouped


def case_shown(participant: Participant, flags: Sequence[AnswerFlag]) -> CaseShown:
    return CaseShown(
        participant_id=participant.pk,
        code=participant.code,
        flags=tuple(
            FlagShown(ParticipantReason(flag.reason).sentence, flag.evidence)
            for flag in participant.flags_in_order  # type: ignore[attr-defined]
        ),
        answers=tuple(answer_shown(flag) for flag in flags),
        verdicts=tuple(participant.decisions),  # type: ignore[attr-defined]
    )


def answer_shown(flag: AnswerFlag) -> FlagShown:
    text = flag.answer.text
    return FlagShown(
        sentence=ReasonCode(flag.reason).sentence,
        evidence=flag.evidence,
        position=flag.answer.position,
        excerpt=text[:EXCERPT_CHARACTERS],
        shortened=len(text) > EXCERPT_CHARACTERS,
    )


def decision_label(verdict: Verdict) -> str:
    """The sentence of a decision."""
    return VerdictDecision(verdict.decision).label
