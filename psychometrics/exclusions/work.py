"""What one person did in a session, from which the facts that exclusion rules look at follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

import numpy as np

from psychometrics.exclusions.rules import ExclusionFacts
from psychometrics.exclusions.words import count_words

LOOKED_AT = 200  # characters of an answer in which words are counted: enough for any rule's `words_below`
NO_ANSWER = "no_answer"  # the flag on a text that is no answer at all


@dataclass
class Work:
    """One person's work while it is read, answer by answer."""

    prompts: int = 0
    off_task: int = 0
    words: list[int] = field(default_factory=list)
    started_at: datetime | None = None
    saved_at: datetime | None = None

    def add(
        self, text: str | None, reasons: frozenset[str], *, started_at: datetime, saved_at: datetime | None
    ) -> None:
        """A place of the person's batch: its text (None for no answer) and the flags on it."""
        self.prompts += 1
        if text is None or NO_ANSWER in reasons:
            return
        self.words.append(count_words(text[:LOOKED_AT]))
        self.off_task += bool(reasons)
        self.started_at = started_at
        self.saved_at = max(filter(None, (self.saved_at, saved_at)), default=None)

    @property
    def seconds_per_answer(self) -> float:
        if self.started_at is None or self.saved_at is None or not self.words:
            return np.nan
        return (self.saved_at - self.started_at).total_seconds() / len(self.words)


def facts_of_work(codes: Sequence[str], work: Mapping[str, Work], confirmed: set[str]) -> ExclusionFacts:
    """The facts of these people, in this order; `confirmed` are the codes of those who are excluded."""
    found = [work.get(code, Work()) for code in codes]
    return ExclusionFacts(
        off_task_share=np.array([_share(own.off_task, len(own.words)) for own in found]),
        answered_share=np.array([_share(len(own.words), own.prompts) for own in found]),
        median_words=np.array([median(own.words) if own.words else np.nan for own in found]),
        seconds_per_answer=np.array([own.seconds_per_answer for own in found]),
        confirmed=np.array([code in confirmed for code in codes], dtype=bool),
    )


def _share(count: int, of: int) -> float:
    return count / of if of else np.nan
