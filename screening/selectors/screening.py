"""What the off-task rules found, as reviewers and reports see it: never a score, a profile or a name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, Prefetch
from django.utils.translation import gettext as _

from screening.models import AnswerFlag, Verdict
from screening.offtask.facts import ParticipantReason, ReasonCode
from screening.selectors import participants
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


@dataclass(frozen=True)
class AnswerShown:
    """One flagged answer; the label and the question are shown only where its prompt is public."""

    position: int
    label: str
    flags: tuple[FlagShown, ...]
    text: str
    question: str


@dataclass(frozen=True)
class CaseShown:
    """Everything a reviewer sees of one flagged participant."""

    code: str
    flags: tuple[FlagShown, ...]
    answers: tuple[AnswerShown, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def newest(self) -> Verdict | None:
        """The verdict that counts."""
        return self.verdicts[-1] if self.verdicts else None


def screening_summary(study: Study, rules_version: str) -> Screening:
    """Count the stored flags of ended sessions."""
    people = participants.screened_participants(study).values("pk")
    of_answers = participants.current_answer_flags().filter(
        answer__session__participant__in=people, rules_version=rules_version
    )
    of_people = participants.current_participant_flags().filter(
        participant__in=people, rules_version=rules_version
    )
    return Screening(
        rules_version=rules_version,
        participants=people.count(),
        answers=dict(of_answers.values_list("reason").annotate(flags=Count("pk")).order_by("reason")),
        people=dict(of_people.values_list("reason").annotate(flags=Count("pk")).order_by("reason")),
        undecided=participants.undecided_participants(study).count(),
        excluded=participants.excluded_participants(study).count(),
    )


def screening_queue(study: Study) -> list[str]:
    """The codes of all flagged participants: those without a verdict first, then by code."""
    undecided = list(participants.undecided_participants(study).values_list("code", flat=True))
    waiting = set(undecided)
    everybody = participants.flagged_participants(study).values_list("code", flat=True)
    return [*undecided, *(code for code in everybody if code not in waiting)]


def screening_cases(study: Study, codes: Sequence[str]) -> list[CaseShown]:
    """These flagged participants, in this order. Four queries for any number."""
    people = {
        participant.code: participant
        for participant in participants.flagged_participants(study)
        .filter(code__in=codes)
        .only("code")
        .prefetch_related(
            Prefetch("flags", participants.current_participant_flags().order_by("pk")),
            Prefetch("verdicts", participants.current_verdicts().select_related("decided_by").order_by("pk")),
        )
    }
    answers = _flagged_answers(people.values())
    return [_case_shown(people[code], answers.get(people[code].pk, ())) for code in codes if code in people]


def _flagged_answers(people: Iterable[Participant]) -> dict[int, list[AnswerFlag]]:
    """The flags on answers of each participant, in the order of the batch."""
    related = ("answer__session", "answer__prompt")
    flags = participants.current_answer_flags().filter(answer__session__participant__in=list(people))
    grouped: dict[int, list[AnswerFlag]] = {}
    for flag in flags.select_related(*related).order_by("answer__position", "pk"):
        grouped.setdefault(flag.answer.session.participant_id, []).append(flag)
    return grouped


def _case_shown(participant: Participant, flags: Sequence[AnswerFlag]) -> CaseShown:
    of_answers = groupby(flags, key=lambda flag: flag.answer.position)
    return CaseShown(
        code=participant.code,
        flags=tuple(
            FlagShown(_(ParticipantReason(flag.reason).sentence), flag.evidence)
            for flag in participant.flags.all()
        ),
        answers=tuple(_answer_shown(list(of_one)) for _, of_one in of_answers),
        verdicts=tuple(participant.verdicts.all()),
    )


def _answer_shown(flags: Sequence[AnswerFlag]) -> AnswerShown:
    answer = flags[0].answer
    public = answer.prompt.split == "public"
    return AnswerShown(
        position=answer.position,
        label=answer.prompt.label if public else "",
        flags=tuple(FlagShown(_(ReasonCode(flag.reason).sentence), flag.evidence) for flag in flags),
        text=_excerpt(answer.text),
        question=_excerpt(answer.prompt.text) if public else "",
    )


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT_CHARACTERS else text[:EXCERPT_CHARACTERS] + " …"
