"""Rules that say who is left out of a cohort, as data with a version and a hash.

A rule looks at what people wrote and at how they worked: the share of their answers that the screening
flags, the share of prompts with an answer, how much they wrote, how long they took, what reviewers decided.
Scores are not among these facts. One declared rule is score-based and says so; it is there to show what
such a rule does (measurement.md, A6: it moves the average upwards), never to be used.

The rule of the published study is the verdict of people who read the answers (GIM paper, G.5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from formats.canonical import canonical_sha256

if TYPE_CHECKING:
    from psychometrics.data.cohort import Mask
    from psychometrics.inference.clusters import Array

RULES_VERSION = "exclusion-1"
"""Changes whenever a declared rule does; a test holds the hash that belongs to it."""

PUBLISHED_SHARE = 51 / 246  # of the pilot's people were left out (GIM paper, G.5)


class Condition(StrEnum):
    """Why a rule leaves somebody out."""

    VERDICT = "verdict"  # a reviewer confirmed the exclusion
    OFF_TASK = "off_task"
    ANSWERED = "answered"
    WORDS = "words"
    SECONDS = "seconds"
    LOWEST_SCORE = "lowest_score"


@dataclass(frozen=True, eq=False)
class ExclusionFacts:
    """What is known of P people without any score; columns (P,), NaN where there is nothing to tell it by.

    `off_task_share`: flagged answers among the recorded ones; `answered_share`: recorded answers among the
    prompts; `median_words` of the recorded answers, counted in the first 200 characters;
    `seconds_per_answer`: from the start to the last save, for each recorded answer; `confirmed`: the newest
    verdict confirms the exclusion.
    """

    off_task_share: "Array"
    answered_share: "Array"
    median_words: "Array"
    seconds_per_answer: "Array"
    confirmed: "Mask"

    def __len__(self) -> int:
        return len(self.confirmed)


@dataclass(frozen=True)
class ExclusionRule:
    """Leaves out whoever meets one of its conditions; None and False ask for nothing.

    `lowest_share` is score-based: that share of the people with a score, those with the lowest means.
    """

    key: str
    verdicts: bool = False
    off_task_from: float | None = None
    answered_below: float | None = None
    words_below: float | None = None
    seconds_below: float | None = None
    lowest_share: float | None = None

    @property
    def score_based(self) -> bool:
        return self.lowest_share is not None

    def conditions(self, facts: ExclusionFacts, lowest: "Array") -> "dict[Condition, Mask]":
        """Who meets each condition (P,). `lowest` (P,) is `lowest_ranks`; only a score-based rule reads it.

        A fact that is not known meets no condition.
        """
        found: dict[Condition, Mask] = {}
        if self.off_task_from is not None:
            found[Condition.OFF_TASK] = facts.off_task_share >= self.off_task_from
        for condition, fact, threshold in (
            (Condition.ANSWERED, facts.answered_share, self.answered_below),
            (Condition.WORDS, facts.median_words, self.words_below),
            (Condition.SECONDS, facts.seconds_per_answer, self.seconds_below),
            (Condition.LOWEST_SCORE, lowest, self.lowest_share),
        ):
            if threshold is not None:
                found[condition] = fact < threshold
        if self.verdicts:
            found[Condition.VERDICT] = facts.confirmed
        return found

    def removed(self, facts: ExclusionFacts, lowest: "Array") -> "Mask":
        """Who is left out (P,)."""
        nobody = facts.confirmed & False
        return reduce(or_, self.conditions(facts, lowest).values(), nobody)


INTENTION_TO_TREAT = ExclusionRule("nobody")
PAPER_RULE = ExclusionRule("verdicts", verdicts=True)
DECLARED: tuple[ExclusionRule, ...] = (
    INTENTION_TO_TREAT,
    PAPER_RULE,
    ExclusionRule("flags", off_task_from=0.5, answered_below=0.5),  # what the screening proposes
    ExclusionRule("off_task", off_task_from=0.5),
    ExclusionRule("answered", answered_below=0.5),
    ExclusionRule("words", words_below=4),
    ExclusionRule("hurried", seconds_below=60),
    ExclusionRule("strict", off_task_from=0.25, answered_below=0.8, words_below=4),
    ExclusionRule("lowest_scores", lowest_share=PUBLISHED_SHARE),
)


def rules_sha256(rules: Sequence[ExclusionRule] = DECLARED, version: str = RULES_VERSION) -> str:
    """The hash of a set of rules: equal for equal rules in whatever order."""
    return canonical_sha256({"version": version, "rules": {rule.key: asdict(rule) for rule in rules}})


def removed_by(
    rules: Sequence[ExclusionRule], facts: ExclusionFacts, lowest: "Array"
) -> "Mapping[str, Mask]":
    """Whom each rule leaves out (P,), by the rule's key."""
    return {rule.key: rule.removed(facts, lowest) for rule in rules}


@dataclass(frozen=True)
class RatedTwice:
    """Whether two reviewers confirm the exclusion of the same person, in the order they first decided.

    The second reviewer could read what the first one decided.
    """

    participant: str
    first: bool
    second: bool


def rated_twice(decisions: Mapping[str, Mapping[int, bool]]) -> list[RatedTwice]:
    """The people two raters decided about; of more than two, the first two.

    `decisions` are those of each person by rater, raters in the order they decided.
    """
    pairs = ((code, list(own.values())[:2]) for code, own in sorted(decisions.items()))
    return [RatedTwice(code, *both) for code, both in pairs if len(both) == 2]
