"""Agreement of a study's judges, of every two and of all at once; replaced where what it rests on changes."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

import numpy as np
from django.db import transaction

from judging.models import ScoringRun
from psychometrics.agreement.coefficients import ratio
from psychometrics.agreement.pairs import agreement_from_seed
from psychometrics.agreement.panel import panel_agreement_from_seed
from psychometrics.agreement.warnings import agreement_warnings, theta_warnings
from psychometrics.inference.clusters import Array, Codes
from psychometrics.irt.bank import ItemBank
from scoring.models import Agreement
from scoring.selectors.agreements import PanelScores, panel_scores, panels
from scoring.selectors.scopes import study_scopes
from scoring.services.ability_changes import Comparison, theta_values
from scoring.services.agreement_inputs import (
    PANEL,
    RESAMPLES,
    Compared,
    all_compared,
    one_run_per_judge,
    pair_compared,
)
from scoring.services.agreement_values import (
    Values,
    agreement_values,
    confusion,
    difference_cells,
    outside,
    panel_values,
    warning_values,
)
from studies.models import Study
from studies.selectors.item_banks import item_arrays

CRITERION, ANSWER, PEOPLE, ABILITY = "criterion", "answer", "people", "ability"


def agreements_compute(*, study: Study, now: datetime) -> list[Agreement]:
    """Bring every panel's agreement up to the scores as they are now; empty without two judges.

    Where prompts of a private split were asked, once more from the answers to the public ones alone, by which
    Top is chosen there as well. The bootstrap's seed follows from who judged, so that equal scores give equal
    intervals.
    """
    items = item_arrays(study.item_bank) if study.item_bank else None
    stored, scopes = [], study_scopes(study)
    for runs in panels(study):
        everything = panel_scores(study, runs)
        # Everything first, then one transaction: an ended process leaves no scope of a panel alone.
        computed = [
            one for scores in map(everything.within, scopes) for one in panel_compute(study, scores, items)
        ]
        stored += agreements_store(computed, now)
    return stored


def panel_compute(study: Study, scores: PanelScores, items: ItemBank | None) -> Iterator["Computed"]:
    """Every two judges of a panel, then all of them."""
    for x, y in combinations(range(len(scores.runs)), 2):
        yield pair_compute(study, scores, (x, y), items)
    yield all_compute(study, scores)


@dataclass(frozen=True)
class Computed:
    """What some judges come to in a scope, by level; None where that is stored already."""

    compared: Compared
    levels: Mapping[str, Values] | None = None


def pair_compute(
    study: Study, scores: PanelScores, columns: tuple[int, int], items: ItemBank | None
) -> Computed:
    """Two judges: by criterion, by answer, by people's means, and their thetas."""
    found = pair_compared(study, scores, columns)
    if found.is_stored:
        return Computed(found)
    seed = seed_of((found.first, found.second))
    return Computed(found, dict(pair_levels(study, scores, columns, items, seed)))


def pair_levels(
    study: Study, scores: PanelScores, columns: tuple[int, int], items: ItemBank | None, seed: int
) -> Iterator[tuple[str, Values]]:
    x, y = columns
    if len(scores.criterion_scores):
        of_criteria = scores.criterion_scores
        yield CRITERION, compared(of_criteria[:, x], of_criteria[:, y], scores.criterion_answers, seed)
    people = person_codes(scores)
    of_answers = scores.answer_scores
    yield ANSWER, compared(of_answers[:, x], of_answers[:, y], people, seed)
    yield PEOPLE, people_values(of_answers[:, x], of_answers[:, y], people, seed)
    if items is not None:
        yield ABILITY, ability_values(Comparison(scores, columns, items, study.protocol.top_size))


def compared(x: Array, y: Array, clusters: Codes, seed: int) -> Values:
    found = agreement_from_seed(x, y, clusters, seed=seed, resamples=RESAMPLES)
    drawn: Values = {
        "cells": difference_cells(x, y),
        "confusion": dict(confusion(x, y)),
        "outside": outside(found, x, y),
    }
    return {**agreement_values(found, agreement_warnings(found)), **drawn}


def people_values(x: Array, y: Array, people: Codes, seed: int) -> Values:
    """Agreement of people's mean scores, each over the answers that both judges scored."""
    both = ~(np.isnan(x) | np.isnan(y))
    count = int(people.max()) + 1 if len(people) else 0
    answers = np.bincount(people[both], minlength=count).astype(np.float64)
    of_x, of_y = (
        ratio(np.bincount(people[both], p[both], minlength=count).astype(np.float64), answers) for p in (x, y)
    )
    found = agreement_from_seed(
        np.clip(of_x, 0, 1), np.clip(of_y, 0, 1), np.arange(count), seed=seed, resamples=RESAMPLES
    )
    return agreement_values(found, ())


def ability_values(comparison: Comparison) -> Values:
    groups = comparison.groups()
    checks = [check for group in groups if group.x.people and group.y.people for check in group.checks()]
    return {
        "groups": [group.values() for group in groups],
        **theta_values(*comparison.thetas_of_people()),
        "warnings": [warning_values(warning) for warning in theta_warnings(checks)],
    }


def all_compute(study: Study, scores: PanelScores) -> Computed:
    """All judges at once, each once: its further runs say how far a judge agrees with itself."""
    columns = one_run_per_judge(scores.runs)
    found = all_compared(study, scores)
    if found.is_stored:
        return Computed(found)
    levels: dict[str, Values] = {}
    seed = seed_of([scores.runs[column] for column in columns])
    for level, table, clusters in (
        (CRITERION, scores.criterion_scores, scores.criterion_answers),
        (ANSWER, scores.answer_scores, person_codes(scores)),
    ):
        if len(table):
            own = table[:, list(columns)]
            levels[level] = panel_values(
                panel_agreement_from_seed(own, clusters, seed=seed, resamples=RESAMPLES)
            )
    runs = [scores.runs[column].pk for column in columns]
    values: Values = {"runs": list(runs), "levels": dict(levels)}
    return Computed(found, {PANEL: values})


def person_codes(scores: PanelScores) -> Codes:
    """A number for the participant of every answer."""
    codes: Codes = np.unique(np.array(scores.participants, dtype=str), return_inverse=True)[1]
    return codes.astype(np.int64)


@transaction.atomic
def agreements_store(computed: Iterable[Computed], now: datetime) -> list[Agreement]:
    """Store what is new, and stamp what is still right as right at this moment."""
    return [row for one in computed for row in agreement_store(one, now)]


def agreement_store(computed: Computed, now: datetime) -> list[Agreement]:
    """Replace its levels; a level that there is no more of goes, too."""
    one, levels = computed.compared, computed.levels
    if one.of_all:
        others = Agreement.objects.filter(level=PANEL, first__design_hash=one.first.design_hash)
        others.filter(first__study=one.first.study_id).exclude(first=one.first, second=one.second).delete()
    if levels is None:
        one.stored().update(computed_at=now)
        return list(one.stored().order_by("pk"))
    one.stored().exclude(level__in=levels).delete()
    return [
        Agreement.objects.update_or_create(
            first=one.first,
            second=one.second,
            scope=one.scope,
            level=level,
            defaults={"values": values, "inputs_sha256": one.key, "computed_at": now},
        )[0]
        for level, values in levels.items()
    ]


def seed_of(runs: Sequence[ScoringRun]) -> int:
    """Of the bootstrap: the same wherever these judges scored under this design, whatever the database."""
    named = [[run.design_hash, run.judge_sha256, run.replicate] for run in runs]
    return int(hashlib.sha256(json.dumps(named).encode()).hexdigest()[:8], 16)
