"""Off-task rules: from what was asked and answered to flags with evidence (GIM, appendix G).

Pure and blind to scores: a flag never depends on whether an answer is right. Flags propose, people decide.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from batches.rules.statuses import AnswerState
from screening.offtask.comments import comment_flags
from screening.offtask.facts import (
    AnswerFacts,
    Flag,
    OfftaskRules,
    ParticipantReason,
    PromptFacts,
    ReasonCode,
)
from screening.offtask.minimal import minimal_content
from screening.offtask.words import visible

DEFAULT_RULES = OfftaskRules()

_NEVER_FLAGGED = frozenset({AnswerState.WITHDRAWN, AnswerState.DRAFT})
_WITHOUT_TEXT = frozenset({AnswerState.BLANK, AnswerState.SKIPPED, AnswerState.NOT_REACHED})


def flag_answer(
    answer: AnswerFacts, prompt: PromptFacts, *, rules: OfftaskRules = DEFAULT_RULES
) -> tuple[Flag[ReasonCode], ...]:
    """Return every flag of one answer, in the order of `ReasonCode`; empty when it looks on task.

    Withdrawn answers and drafts of a running session are never flagged.
    """
    if answer.state in _NEVER_FLAGGED:
        return ()
    text = visible(answer.text)
    if answer.state in _WITHOUT_TEXT:
        return (Flag(ReasonCode.NO_ANSWER, answer.state.sentence),)
    if not text:
        return (Flag(ReasonCode.NO_ANSWER, "The recorded text has no visible character."),)
    minimal = minimal_content(text, prompt, rules)
    flags = [Flag(ReasonCode.MINIMAL_CONTENT, minimal)] if minimal else []
    return (*flags, *comment_flags(text, prompt, rules))


def flag_participant(
    answers: Sequence[AnswerFacts],
    flags: Mapping[int, Sequence[Flag[ReasonCode]]],
    *,
    rules: OfftaskRules = DEFAULT_RULES,
) -> tuple[Flag[ParticipantReason], ...]:
    """Return the flags of a participant from all answers of the ended session and their flags by answer id.

    Recorded answers are those not flagged NO_ANSWER; withdrawn answers are left out altogether.
    """
    used = [answer for answer in answers if answer.state not in _NEVER_FLAGGED]
    reasons = [{flag.reason for flag in flags.get(answer.answer_id, ())} for answer in used]
    recorded = [of_answer for of_answer in reasons if ReasonCode.NO_ANSWER not in of_answer]
    off_task = [of_answer for of_answer in recorded if of_answer]
    proposed = []
    if used and len(recorded) < rules.answered_share * len(used):
        answered = f"{len(recorded)} of {len(used)}"
        evidence = f"Prompts with an answer: {answered}; flagged below {rules.answered_share:.0%}."
        proposed.append(Flag(ParticipantReason.FEW_ANSWERS, evidence))
    if off_task and len(off_task) >= rules.off_task_share * len(recorded):
        times = Counter(reason for of_answer in off_task for reason in of_answer)
        kinds = ", ".join(f"{times[reason]} {reason.value}" for reason in ReasonCode if times[reason])
        evidence = (
            f"Recorded answers that are off-task: {len(off_task)} of {len(recorded)} ({kinds}); "
            f"flagged from {rules.off_task_share:.0%}."
        )
        proposed.append(Flag(ParticipantReason.MOSTLY_OFF_TASK, evidence))
    return tuple(proposed)
