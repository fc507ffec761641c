"""Agreement of a study's judges, of every two and of all at once; replaced where what it rests on changes."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from psychometrics.agreement.levels import pair_levels, panel_levels
from psychometrics.agreement.measures import OF_ALL, level_measures
from psychometrics.agreement.stored import Values
from psychometrics.inference.measure import Block
from psychometrics.irt.bank import ItemBank
from scoring.models import JudgeComparison
from scoring.selectors.judges import panels
from scoring.selectors.scopes import scope_to_leave, study_scopes
from scoring.services.agreement_inputs import RESAMPLES, Compared, panel_compared
from scoring.services.storing import measures_store
from studies.models import Study
from studies.selectors.item_arrays import item_arrays

Levels = Mapping[str, Values]


def agreements_compute(*, study: Study, now: datetime) -> list[JudgeComparison]:
    """Bring every panel's agreement up to the scores as they are now; empty without two judges.

    Where prompts of a private split were asked, once more from the answers to the public ones alone, by which
    Top is chosen there as well. The bootstrap's seed follows from who judged, so that equal scores give equal
    intervals.
    """
    items = item_arrays(study.item_bank) if study.item_bank else None
    stored, scopes, top_size = [], study_scopes(study), study.protocol.top_size
    for runs in panels(study):
        # Everything first, then one transaction: an ended process leaves no scope of a panel alone.
        computed = [
            (compared, None if compared.is_stored else _levels_of(compared, items, top_size))
            for compared in panel_compared(study, runs, scopes)
        ]
        with transaction.atomic():
            # What is new is stored, and what is still right stamped as right at this moment.
            for compared, levels in computed:
                stored += agreement_store(compared, levels, now)
    return stored


def _levels_of(compared: Compared, items: ItemBank | None, top_size: int) -> Levels:
    """Two judges: by criterion, by answer, by people's means, and their thetas.

    All judges at once: their further runs say how far a judge agrees with itself.
    """
    # The same wherever these judges scored under this design, whatever the database.
    named = [[run.design_hash, run.judge_sha256, run.replicate] for run in compared.runs]
    seed = int(hashlib.sha256(json.dumps(named).encode()).hexdigest()[:8], 16)
    if compared.of_all:
        return {OF_ALL: dict(panel_levels(compared.scores, compared.columns, seed=seed, resamples=RESAMPLES))}
    x, y = compared.columns
    return dict(
        pair_levels(compared.scores, (x, y), items, top_size=top_size, seed=seed, resamples=RESAMPLES)
    )


def agreement_store(compared: Compared, levels: Levels | None, now: datetime) -> list[JudgeComparison]:
    """Replace its levels; a level that there is no more of goes, too."""
    if compared.of_all:
        others = JudgeComparison.objects.filter(level=OF_ALL, first__design_hash=compared.first.design_hash)
        others.filter(first__study=compared.first.study_id).exclude(
            first=compared.first, second=compared.second
        ).delete()
    if levels is None:
        compared.stored().update(computed_at=now)
        return list(compared.stored().order_by("pk"))
    compared.stored().exclude(level__in=levels).delete()
    return [_comparison_store(compared, level, values, now) for level, values in levels.items()]


def _comparison_store(compared: Compared, level: str, values: Values, now: datetime) -> JudgeComparison:
    scope, runs = compared.scores.scope, [run.pk for run in compared.runs] if compared.of_all else []
    comparison, _ = JudgeComparison.objects.update_or_create(
        first=compared.first,
        second=compared.second,
        scope=scope,
        level=level,
        defaults={"runs": runs, "inputs_sha256": compared.key, "computed_at": now},
    )
    measures = (
        [
            number
            for name, own in values.items()
            if isinstance(own, dict)
            for number in level_measures(name, own, of_all=True)
        ]
        if compared.of_all
        else level_measures(level, values)
    )
    comparison.measures.all().delete()
    leaves = scope == scope_to_leave(compared.first.study)
    measures_store(measures, Block.AGREEMENT, comparison=comparison, scope=scope, may_leave=lambda _: leaves)
    return comparison
