"""What a simulated person writes: texts that meet chosen criteria and miss the others.

The texts go through the same pages, filters and judges as a person's, so a rehearsal exercises everything
after the keyboard. Nothing here touches a database or a network.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.bank import records

OPENING = "I worked through the question step by step and checked what the assistant proposed."
FILLER = "This follows from what the question states"


@dataclass(frozen=True)
class PromptKey:
    """What must be known of a prompt to answer it rightly or wrongly; a, b are None without parameters."""

    prompt_id: str
    gold_answer: str | None
    criteria: tuple[records.CriterionRecord, ...]
    solution: str
    a: float | None = None
    b: float | None = None


def chance_of_success(theta: float, key: PromptKey) -> float:
    """Probability in [0.02, 0.98] that one criterion is met: logistic in a(theta - b), or in theta alone."""
    logit = theta if key.a is None or key.b is None else key.a * (theta - key.b)
    return min(0.98, max(0.02, 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))))


def write_answer(key: PromptKey, *, theta: float, rng: np.random.Generator) -> str:
    """Return an answer of a person of ability theta; each criterion is met independently."""
    chance = chance_of_success(theta, key)
    if not key.criteria:
        return right_or_wrong(key.gold_answer or "", right=bool(rng.random() < chance), rng=rng)
    met = [bool(draw < chance) for draw in rng.random(len(key.criteria))]
    if all(met) and key.solution:
        return key.solution
    return compose(key.criteria, met)


def right_or_wrong(gold: str, *, right: bool, rng: np.random.Generator) -> str:
    if right:
        return gold
    guess = str(int(rng.integers(100_000, 999_999)))
    return guess if guess != gold.strip() else guess + "0"


def compose(criteria: Sequence[records.CriterionRecord], met: Sequence[bool]) -> str:
    """Join a sentence per criterion; the word limits, which concern the whole text, are applied last."""
    pairs = list(zip(criteria, met, strict=True))
    for criterion, is_met in pairs:
        if is_met and isinstance(criterion.check, records.EqualsCheck):
            return criterion.check.any_of[0]
    text = " ".join([OPENING, *filter(None, (part(criterion, is_met) for criterion, is_met in pairs))])
    for criterion, is_met in pairs:
        if isinstance(criterion.check, records.WordCountCheck):
            # Lengthened or cut into the limits, or pushed just outside of them.
            words, low, high = text.split(), criterion.check.minimum or 0, criterion.check.maximum
            if is_met:
                words = _lengthen(words, low)[: high or None]
            else:
                words = _lengthen(words, high + 1) if high else words[: max(low - 1, 0)]
            text = " ".join(words)
    return text


def part(criterion: records.CriterionRecord, is_met: bool) -> str:
    """The sentence that decides one criterion; empty where saying nothing decides it."""
    check: records.Check | None = criterion.check
    match check:
        case records.ContainsCheck():
            return f"One point is {check.any_of[0]}." if is_met else ""
        case records.NumberCheck():
            return f"I arrive at {check.value:g}." if is_met else ""
        case records.ExcludesCheck():
            return "" if is_met else f"One point is {check.none_of[0]}."
        case None:
            return f"I considered this: {criterion.text}" if is_met else ""
        case _:
            return ""


def _lengthen(words: list[str], length: int) -> list[str]:
    filler = FILLER.split()
    return words + [filler[n % len(filler)] for n in range(max(0, length - len(words)))]
