"""The people of Top, chosen by the mean of their scored answers (GIM paper, section 6)."""

import math
from collections.abc import Iterable

from psychometrics.data.answers import ResultAnswer


def top_group(answers: Iterable[ResultAnswer], size: int) -> frozenset[str]:
    """The codes of the `size` participants with the highest mean score of their scored answers.

    Ties go by code, so that the same answers always give the same group. Empty where fewer than `size` people
    have a scored answer. Selected on the outcome: whatever is computed for this group is in-sample.
    """
    scores: dict[str, list[float]] = {}
    for answer in answers:
        if answer.score is not None:
            scores.setdefault(answer.participant, []).append(answer.score)
    means = sorted((-math.fsum(own) / len(own), code) for code, own in scores.items())
    return frozenset(code for _, code in means[:size]) if len(means) >= size else frozenset()
