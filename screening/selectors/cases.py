"""What a reviewer sees of a flagged person: texts and what rules found; never a score, profile or name."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import CharField, Count, Exists, F, Max, OuterRef, Q, Value
from django.utils.translation import gettext as _

from batches.models import Answer
from batches.rules.statuses import AnswerState
from formats.wording import gettext_noop
from presentation.numbers import numbered
from screening.models import Verdict
from screening.offtask.evidence import Piece, marked
from screening.offtask.facts import ParticipantReason, PromptFacts, ReasonCode
from screening.offtask.readings import LeftOpen
from screening.offtask.summaries import BADGES, FlaggedWork, all_reasons, main_reason
from screening.selectors import participants
from studies.models import Criterion, Study, User
from studies.roles import Can
from studies.selectors.private_questions import is_private, may_see
from studies.selectors.roles import reviewers_see_private

FIRST = "first"
DECIDED = "decided"
WITHOUT_TEXT = {
    AnswerState.BLANK: gettext_noop("emptied again"),
    AnswerState.SKIPPED: gettext_noop("seen, not answered"),
    AnswerState.NOT_REACHED: gettext_noop("never opened"),
}

FlaggedPeople = Mapping[str, tuple[FlaggedWork, timedelta]]


@dataclass(frozen=True)
class QueueEntry:
    """One person of the list; `waits_for` is first, second, settling or decided."""

    code: str
    reason: str
    waits_for: str


@dataclass(frozen=True)
class PlaceShown:
    """One question and what was written; of a private one that the reviewer may not see nothing but that."""

    position: int
    is_private: bool
    is_withheld: bool = False
    label: str = ""
    question: str = ""
    text_format: str = ""
    pieces: tuple[Piece, ...] = ()
    badges: tuple[str, ...] = ()
    without_text: str = ""


@dataclass(frozen=True)
class CaseShown:
    """One person before a reviewer. `verdicts` holds those that this reviewer may see now.

    `waits_for` says whose verdict is next, `may_decide` whether the reviewer may give it; `newest` is the
    key of the newest verdict, seen or not.
    """

    code: str
    reason: str
    reasons: tuple[str, ...]
    spent: timedelta
    places: tuple[PlaceShown, ...]
    verdicts: tuple[Verdict, ...]
    newest: int | None
    waits_for: str
    may_decide: bool


def waiting_queue(study: Study, reviewer: User, *, settles: bool) -> list[tuple[str, str]]:
    """Codes of the people this reviewer may decide on next, with what each waits for; by code."""
    people = participants.waiting_for(study, reviewer, settles=settles).order_by("code")
    return list(people.values_list("code", "waits_for"))  # type: ignore[misc]


def decided_queue(study: Study) -> list[tuple[str, str]]:
    """Codes of the flagged people who are decided."""
    waiting = participants.undecided_participants(study).order_by().values("pk")
    people = participants.flagged_participants(study).exclude(pk__in=waiting)
    return list(people.values_list("code", Value(DECIDED, output_field=CharField())))


def queue_entries(work: FlaggedPeople, queue: Sequence[tuple[str, str]]) -> list[QueueEntry]:
    """These people with the main reason each waits, in this order."""
    return [
        QueueEntry(code, _in_words(main_reason(work[code][0])), waits_for)
        for code, waits_for in queue
        if code in work
    ]


def case_shown(
    study: Study,
    work: FlaggedPeople,
    code: str,
    reviewer: User,
    *,
    settles: bool,
    rights: Collection[Can] = (),
) -> CaseShown | None:
    """Everything one reviewer sees by their rights of one flagged person; None where nobody of the code is
    flagged.

    Two queries beside those of `flagged_work`.
    """
    if code not in work:
        return None
    done, spent = work[code]
    if not done.people_flags:
        return None
    verdicts = list(
        participants.current_verdicts()
        .filter(participant__study=study, participant__code=code)
        .select_related("decided_by")
        .order_by("pk")
    )
    waits_for, may_decide = _next_reading(verdicts, reviewer, settles=settles)
    return CaseShown(
        code=code,
        reason=_in_words(main_reason(done)),
        reasons=tuple(_in_words(reason) for reason in all_reasons(done)),
        spent=spent,
        places=tuple(_places(study, code, rights)),
        verdicts=tuple(_seen(verdicts, waits_for, reviewer)),
        newest=verdicts[-1].pk if verdicts else None,
        waits_for=waits_for,
        may_decide=may_decide,
    )


def _next_reading(verdicts: Sequence[Verdict], reviewer: User, *, settles: bool) -> tuple[str, bool]:
    """Whose verdict is next, and whether this reviewer may give it."""
    if not verdicts:
        return FIRST, True
    left, own = verdicts[-1].leaves_open, any(verdict.decided_by_id == reviewer.pk for verdict in verdicts)
    if left == LeftOpen.NOTHING:
        return DECIDED, True
    return left, not own or (settles and left == LeftOpen.SETTLING)


def _seen(verdicts: Iterable[Verdict], waits_for: str, reviewer: User) -> list[Verdict]:
    """Until a second reading is given, whoever gave the first sees it and nobody else."""
    if waits_for != LeftOpen.SECOND:
        return list(verdicts)
    return [verdict for verdict in verdicts if verdict.decided_by_id == reviewer.pk]


def _in_words(sentence: tuple[str, Mapping[str, int]]) -> str:
    template, facts = sentence
    return numbered(_(template), facts)


def flagged_work(study: Study, codes: Sequence[str]) -> FlaggedPeople:
    """Counts of these finished people's answers and flags, and how long they worked, by code. Two queries."""
    on_people = participants.current_participant_flags().filter(participant=OuterRef("pk"))
    people = participants.screened_participants(study).filter(code__in=codes)
    rows = (
        people.annotate(
            spent=F("session__ended_at") - F("session__started_at"),
            **{reason.value: Exists(on_people.filter(reason=reason)) for reason in ParticipantReason},
        )
        .values("code", "spent", *(reason.value for reason in ParticipantReason))
        .annotate(
            prompts=Count("session__answers"),
            answered=Count("session__answers", filter=Q(session__answers__has_text=True)),
            last=Max("session__answers__position", filter=Q(session__answers__has_text=True)),
        )
    )
    of_answers = _answer_flags(study, codes)
    return {
        row["code"]: (
            FlaggedWork(
                frozenset(reason for reason in ParticipantReason if row[reason]),
                of_answers.get(row["code"], {}), row["prompts"], row["answered"], row["last"] or 0,
            ),
            row["spent"],
        )
        for row in rows
    }  # fmt: skip


def _answer_flags(study: Study, codes: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many answers of each person each rule flags."""
    path = "answer__session__participant"
    flags = participants.current_answer_flags().filter(
        **{f"{path}__study": study, f"{path}__code__in": codes}
    )
    counted = flags.order_by().values_list(f"{path}__code", "reason")
    numbers: dict[str, dict[str, int]] = {}
    for code, reason, number in counted.annotate(number=Count("answer", distinct=True)):
        numbers.setdefault(code, {})[reason] = number
    return numbers


def _places(study: Study, code: str, rights: Collection[Can]) -> Iterable[PlaceShown]:
    """Every place of the person's question set, in its order."""
    flags = participants.current_answer_flags().filter(answer=OuterRef("pk"))
    answers = (
        Answer.objects.filter(session__participant__study=study, session__participant__code=code)
        .select_related("session", "prompt")
        .annotate(
            by_rubric=Exists(Criterion.objects.filter(prompt=OuterRef("prompt"))),
            **{reason.value: Exists(flags.filter(reason=reason)) for reason in ReasonCode},
        )
        .order_by("position")
    )
    by_protocol = reviewers_see_private(study)
    return [
        _place(answer, [reason for reason in ReasonCode if getattr(answer, reason)], by_protocol=by_protocol)
        if may_see(answer.prompt, rights)
        else PlaceShown(answer.position, is_private=True, is_withheld=True)
        for answer in answers
    ]


def _place(answer: Answer, reasons: Sequence[ReasonCode], *, by_protocol: bool) -> PlaceShown:
    """Where reviewers see no private question, a lead reads it on its own page, if at all."""
    prompt = answer.prompt
    by_rubric: bool = answer.by_rubric  # type: ignore[attr-defined]
    facts = PromptFacts(prompt.prompt_id, prompt.text, "rubric" if by_rubric else "exact", prompt.gold_answer)
    empty = WITHOUT_TEXT.get(answer.state) if not answer.has_text else None
    return PlaceShown(
        position=answer.position,
        is_private=is_private(prompt),
        label=prompt.label,
        question=prompt.text if by_protocol or not is_private(prompt) else "",
        text_format=prompt.text_format,
        pieces=() if empty else marked(answer.text, facts, reasons),
        badges=tuple(_(BADGES[reason]) for reason in reasons if not empty),
        without_text=_(empty) if empty else "",
    )
