"""Agreement of a study's judges, of every two and of all at once; replaced where what it rests on changes."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from django.db import transaction

from judging.models import ScoringRun
from psychometrics.agreement.levels import pair_levels, panel_levels
from psychometrics.agreement.measures import OF_ALL, level_measures
from psychometrics.agreement.scores import PanelScores
from psychometrics.agreement.values import Values
from psychometrics.inference.measure import Block
from psychometrics.irt.bank import ItemBank
from scoring.models import JudgeComparison
from scoring.selectors.agreements import Panel, panel_scores, panels
from scoring.selectors.scopes import scope_to_leave, study_scopes
from scoring.services.agreement_inputs import (
    RESAMPLES,
    Compared,
    all_compared,
    one_run_per_judge,
    pair_compared,
)
from scoring.services.storing import measures_store
from studies.models import Study
from studies.selectors.banks import item_arrays


def agreements_compute(*, study: Study, now: datetime) -> list[JudgeComparison]:
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
            one
            for scores in map(everything.within, scopes)
            for one in panel_compute(study, runs, scores, items)
        ]
        stored += agreements_store(computed, now)
    return stored


def panel_compute(
    study: Study, runs: Panel, scores: PanelScores, items: ItemBank | None
) -> Iterator["Computed"]:
    """Every two judges of a panel, then all of them."""
    for columns in combinations(range(len(runs)), 2):
        yield pair_compute(study, runs, scores, columns, items)
    yield all_compute(study, runs, scores)


@dataclass(frozen=True)
class Computed:
    """What some judges come to in a scope, by level; None where that is stored already."""

    compared: Compared
    levels: Mapping[str, Values] | None = None
    runs: Sequence[int] = ()


def pair_compute(
    study: Study, runs: Panel, scores: PanelScores, columns: tuple[int, int], items: ItemBank | None
) -> Computed:
    """Two judges: by criterion, by answer, by people's means, and their thetas."""
    found = pair_compared(study, runs, scores, columns)
    if found.is_stored:
        return Computed(found)
    seed, top_size = seed_of((found.first, found.second)), study.protocol.top_size
    levels = pair_levels(scores, columns, items, top_size=top_size, seed=seed, resamples=RESAMPLES)
    return Computed(found, dict(levels))


def all_compute(study: Study, runs: Panel, scores: PanelScores) -> Computed:
    """All judges at once, each once: its further runs say how far a judge agrees with itself."""
    columns = one_run_per_judge(runs)
    found = all_compared(study, runs, scores)
    if found.is_stored:
        return Computed(found)
    own = [runs[column] for column in columns]
    levels = panel_levels(scores, columns, seed=seed_of(own), resamples=RESAMPLES)
    return Computed(found, {OF_ALL: dict(levels)}, runs=[run.pk for run in own])


@transaction.atomic
def agreements_store(computed: Iterable[Computed], now: datetime) -> list[JudgeComparison]:
    """Store what is new, and stamp what is still right as right at this moment."""
    return [row for one in computed for row in agreement_store(one, now)]


def agreement_store(computed: Computed, now: datetime) -> list[JudgeComparison]:
    """Replace its levels; a level that there is no more of goes, too."""
    one, levels = computed.compared, computed.levels
    if one.of_all:
        others = JudgeComparison.objects.filter(level=OF_ALL, first__design_hash=one.first.design_hash)
        others.filter(first__study=one.first.study_id).exclude(first=one.first, second=one.second).delete()
    if levels is None:
        one.stored().update(computed_at=now)
        return list(one.stored().order_by("pk"))
    one.stored().exclude(level__in=levels).delete()
    return [comparison_store(computed, level, values, now) for level, values in levels.items()]


def comparison_store(computed: Computed, level: str, values: Values, now: datetime) -> JudgeComparison:
    one = computed.compared
    comparison, _ = JudgeComparison.objects.update_or_create(
        first=one.first,
        second=one.second,
        scope=one.scope,
        level=level,
        defaults={"runs": list(computed.runs), "inputs_sha256": one.key, "computed_at": now},
    )
    measures = (
        [
            number
            for name, own in values.items()
            if isinstance(own, dict)
            for number in level_measures(name, own, of_all=True)
        ]
        if level == OF_ALL
        else list(level_measures(level, values))
    )
    comparison.measures.all().delete()
    leaves = one.scope == scope_to_leave(one.first.study)
    measures_store(
        measures, Block.AGREEMENT, comparison=comparison, scope=one.scope, may_leave=lambda _: leaves
    )
    return comparison


def seed_of(runs: Sequence[ScoringRun]) -> int:
    """Of the bootstrap: the same wherever these judges scored under this design, whatever the database."""
    named = [[run.design_hash, run.judge_sha256, run.replicate] for run in runs]
    return int(hashlib.sha256(json.dumps(named).encode()).hexdigest()[:8], 16)
