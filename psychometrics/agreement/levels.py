"""Agreement of judges level by level, as plain values by name."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from psychometrics.agreement.coefficients import ratio
from psychometrics.agreement.krippendorff import panel_agreement_from_seed
from psychometrics.agreement.pairs import agreement_from_seed
from psychometrics.agreement.scores import PanelScores
from psychometrics.agreement.stored import ABILITY, ANSWER, CRITERION, PEOPLE, Values, moves_of
from psychometrics.agreement.thetas import Comparison
from psychometrics.agreement.values import (
    agreement_values,
    confusion,
    difference_cells,
    outside,
    panel_values,
    warning_values,
)
from psychometrics.agreement.warnings import agreement_warnings, theta_warnings
from psychometrics.inference.clusters import Array, Codes
from psychometrics.irt.bank import ItemBank


def pair_levels(
    scores: PanelScores,
    columns: tuple[int, int],
    items: ItemBank | None,
    *,
    top_size: int,
    seed: int,
    resamples: int,
) -> Iterator[tuple[str, Values]]:
    """Two judges, given by their columns: by criterion, by answer, by people's means, and their thetas."""
    x, y = columns
    draws = {"seed": seed, "resamples": resamples}
    if len(scores.criterion_scores):
        of_criteria = scores.criterion_scores
        yield CRITERION, _compared(of_criteria[:, x], of_criteria[:, y], scores.criterion_answers, **draws)
    people = scores.people
    of_answers = scores.answer_scores
    yield ANSWER, _compared(of_answers[:, x], of_answers[:, y], people, **draws)
    # People's mean scores, each over the answers that both judges scored.
    both = ~(np.isnan(of_answers[:, x]) | np.isnan(of_answers[:, y]))
    count = int(people.max()) + 1 if len(people) else 0
    answers = np.bincount(people[both], minlength=count).astype(np.float64)
    sums = (np.bincount(people[both], of_answers[both, own], minlength=count) for own in columns)
    of_x, of_y = (np.clip(ratio(summed.astype(np.float64), answers), 0, 1) for summed in sums)
    yield PEOPLE, agreement_values(agreement_from_seed(of_x, of_y, np.arange(count), **draws), ())
    if items is not None:
        yield ABILITY, _ability_values(Comparison(scores, columns, items, top_size))


def _compared(x: Array, y: Array, clusters: Codes, *, seed: int, resamples: int) -> Values:
    agreement = agreement_from_seed(x, y, clusters, seed=seed, resamples=resamples)
    return {
        **agreement_values(agreement, agreement_warnings(agreement)),
        "cells": difference_cells(x, y),
        "confusion": confusion(x, y),
        "outside": outside(agreement, x, y),
    }


def _ability_values(comparison: Comparison) -> Values:
    groups = comparison.groups()
    moves = [
        (f"{group['group']}_pool" if name == "theta_moved.pool" else group["group"], found["value"])
        for group in groups
        if group["x"]["participants"] and group["y"]["participants"]
        for name, found in moves_of(group)
    ]
    warnings = theta_warnings((subject, math.nan if moved is None else moved) for subject, moved in moves)
    return {
        "groups": [*groups],
        **comparison.people(),
        "warnings": [warning_values(warning) for warning in warnings],
    }


def panel_levels(
    scores: PanelScores, columns: Sequence[int], *, seed: int, resamples: int
) -> Iterator[tuple[str, Values]]:
    """Krippendorff's alpha of all judges in these columns, by criterion and by answer."""
    for level, table, clusters in (
        (CRITERION, scores.criterion_scores, scores.criterion_answers),
        (ANSWER, scores.answer_scores, scores.people),
    ):
        if len(table):
            own = table[:, list(columns)]
            panel_agreement = panel_agreement_from_seed(own, clusters, seed=seed, resamples=resamples)
            yield level, panel_values(panel_agreement)
