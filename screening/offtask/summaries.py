"""Why a person waits for a reviewer, in a few words; sentences and numbers apart, to be translated."""

from collections.abc import Mapping
from dataclasses import dataclass

from formats.wording import gettext_noop
from screening.offtask.facts import ParticipantReason, ReasonCode


@dataclass(frozen=True, slots=True)
class FlaggedWork:
    """What is known of a flagged person's session.

    `last_position` is that of the last answer with text, 0 where there is none.
    """

    people_flags: frozenset[str]
    answer_flags: Mapping[str, int]
    prompts: int
    answered: int
    last_position: int


_OFF_TASK = {
    ReasonCode.MINIMAL_CONTENT: gettext_noop("Answers that are too short: %(number)d of %(total)d"),
    ReasonCode.COMMENT_ON_QUESTION: gettext_noop("Answers about the question: %(number)d of %(total)d"),
    ReasonCode.COMMENT_ON_MODEL: gettext_noop("Answers about the model: %(number)d of %(total)d"),
}
BADGES = {
    ReasonCode.NO_ANSWER: gettext_noop("no answer"),
    ReasonCode.MINIMAL_CONTENT: gettext_noop("too short"),
    ReasonCode.COMMENT_ON_QUESTION: gettext_noop("about the question"),
    ReasonCode.COMMENT_ON_MODEL: gettext_noop("about the model"),
}
"""What is said beside an answer, by the rule that flags it."""


def main_reason(work: FlaggedWork) -> tuple[str, dict[str, int]]:
    """The sentence that says most, and its numbers: the commonest rule, or how little was answered."""
    off_task = {reason: work.answer_flags.get(reason, 0) for reason in _OFF_TASK}
    reason = max(off_task, key=lambda code: off_task[code])
    if ParticipantReason.MOSTLY_OFF_TASK in work.people_flags and off_task[reason]:
        return _OFF_TASK[reason], {"number": off_task[reason], "total": work.answered}
    return _answered_little(work)


def all_reasons(work: FlaggedWork) -> list[tuple[str, dict[str, int]]]:
    """Everything the rules found, in the order of the reasons; what is not there is left out."""
    sentences = [
        (sentence, {"number": number, "total": work.answered})
        for reason, sentence in _OFF_TASK.items()
        if (number := work.answer_flags.get(reason, 0))
    ]
    return [*sentences, _answered_little(work)] if work.answered < work.prompts else sentences


def _answered_little(work: FlaggedWork) -> tuple[str, dict[str, int]]:
    if not work.answered:
        return gettext_noop("Nothing is answered"), {}
    if work.answered == work.last_position < work.prompts:
        return gettext_noop("Nothing is answered after question %(last)d"), {"last": work.last_position}
    numbers = {"number": work.answered, "total": work.prompts}
    return gettext_noop("Questions that are answered: %(number)d of %(total)d"), numbers
