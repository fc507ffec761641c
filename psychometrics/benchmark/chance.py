"""What guessing gives on a task, accuracies corrected for it, and BBH's 23 tasks of 27 files.

    acc* = (acc - r) / (1 - r)            r: the printed random baseline of the task, or 1 / options

A corrected accuracy below 0 is below guessing and stays so: cutting it off would push the mean over tasks up.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from psychometrics.benchmark.tasks import PERCENT, TaskSums, combined
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason, unknown, within

LETTERED = re.compile(r"^\(([A-Z])\)\s", re.MULTILINE)
DASHED = re.compile(r"^-\s+(\S.*?)\s*$", re.MULTILINE)
OPTIONS = re.compile(r"^\s*Options:\s*$", re.MULTILINE | re.IGNORECASE)
CLOSED = ({"yes", "no"}, {"true", "false"}, {"valid", "invalid"})
BBH_VARIANTS = re.compile(
    r"^(logical_deduction|tracking_shuffled_objects)_(three|five|seven)_objects$", re.IGNORECASE
)


def guessing_rate(questions: Sequence[tuple[str, str]]) -> float:
    """The share that guessing gets right on a task's (text, reference answer) pairs, 0 for open answers.

    Without listed options, answers that are all yes or no, true or false, valid or invalid have two.
    """
    if not questions:
        return np.nan
    answers = {answer.strip().casefold() for _, answer in questions}
    closed = any(answers <= pair for pair in CLOSED)
    rates = []
    for text, _ in questions:
        # Options are lines "(A) ..." or, below "Options:", lines "- ...".
        number, heading = len(set(LETTERED.findall(text))), OPTIONS.search(text)
        if not number and heading:
            number = len(DASHED.findall(text, heading.end()))
        rates.append(1 / (number or (2 if closed else np.inf)))
    return float(np.mean(rates))


def corrected(accuracy: Array, chance: Array) -> Array:
    """Chance-corrected accuracies in percent from accuracies in percent and guessing rates in [0, 1)."""
    return (accuracy - PERCENT * chance) / (1 - chance)


def corrected_macro_estimate(sums: TaskSums, chance: Array) -> Estimate:
    """The mean over the scored tasks of chance-corrected accuracies; `chance` (T,), NaN where unknown.

    Its interval ends where the statistic does: at 100, and at what nothing right would give.
    """
    used = (sums.totals > 0) & ~np.isnan(chance) & (np.nan_to_num(chance) < 1)
    if not used.any():
        return unknown(Reason.NO_PAIRS)
    rates = np.where(used, chance, 0)
    weights = used / (1 - rates) / used.sum()
    nothing_right = -PERCENT * float(weights @ rates)
    return within(combined(sums, weights, offset=nothing_right), nothing_right, PERCENT)


def bbh_tasks(names: Iterable[str]) -> list[str]:
    """The tasks of BBH's 27 files: logical_deduction and tracking_shuffled_objects have three each."""
    return [BBH_VARIANTS.sub(r"\1", name) for name in names]
