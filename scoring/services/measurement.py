"""Measure one set of results: every block by itself, all stored together."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from itertools import product

from django.db import transaction
from django.utils.translation import gettext_noop

from psychometrics.inference.measure import Block, Measure, NotMeasurable, Scope
from psychometrics.measures.computing import MEASURED, block_measures, block_rng, cohorts_of, off_scale
from psychometrics.measures.inputs import Inputs
from scoring.models import Measurement, ResultSet
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.headlines import stored_headlines
from scoring.selectors.measured_facts import Readings, StudyFacts
from scoring.selectors.scopes import results_disclosure
from scoring.services.freshness import measured_sha256
from scoring.services.model_versions import models_settle
from scoring.services.storing import measures_store
from studies.models import StudyEvent
from studies.services.database import snapshot

SEED, RESAMPLES = 2026, 2000
FAILED = gettext_noop("This block failed; the log of the server has the error.")
Said = Callable[[Block, int, int], None]
logger = logging.getLogger(__name__)


def nothing_said(block: Block, done: int, of: int) -> None:
    """For callers that show no progress."""


def measurement_compute(
    *,
    results: ResultSet,
    now: datetime,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    said: Said = nothing_said,
) -> Measurement:
    """Compute every block and store it in place of an earlier measurement of these results.

    A block that the design does not allow is stored as refused, with its sentence; one that fails, as failed
    (the log has the error). Neither keeps the others from being there. Where prompts of a private split were
    asked, everything is computed a second time without them, from the same streams of random numbers.
    """
    models_settle(results.run.study)
    with snapshot():
        everyone = study_cohort(results.run)
        inputs_sha256 = measured_sha256(results.run, everyone)
        readings = Readings(results)
    cohorts = cohorts_of(everyone)
    facts = {scope: StudyFacts(readings, cohort, scope) for scope, cohort in cohorts.items()}
    blocks: dict[Scope, dict[str, object]] = {scope: {} for scope in cohorts}
    found: dict[tuple[Scope, Block], list[Measure]] = {}
    for block, (scope, cohort) in product(MEASURED, cohorts.items()):
        inputs = Inputs(
            facts=facts[scope], everyone=cohort, items=readings.items, rng=block_rng(seed, block),
            resamples=resamples, progress=partial(said, block), scope=scope,
        )  # fmt: skip
        ended = block_compute(block, inputs, only_tasks=readings.only_tasks)
        blocks[scope][block], found[scope, block] = ended
    measurement = Measurement(
        result_set=results, seed=seed, resamples=resamples, inputs_sha256=inputs_sha256,
        models_version=results.run.study.models_version, blocks=blocks[Scope.ALL],
        public_blocks=blocks.get(Scope.PUBLIC, {}), computed_at=now,
    )  # fmt: skip
    measurement_store(measurement, found)
    return measurement


def block_compute(
    block: Block, inputs: Inputs, *, only_tasks: bool = False
) -> tuple[dict[str, object], list[Measure]]:
    """How a block ended, and its measures."""
    began = time.perf_counter()
    state, said, measures = "computed", NotMeasurable(""), []
    try:
        measures = block_measures(block, inputs, only_tasks=only_tasks)
        said = NotMeasurable(off_scale(block, inputs, only_tasks=only_tasks))
    except NotMeasurable as refusal:
        state, said = "refused", refusal
    except Exception:  # the edge of a block: the others are worth having
        logger.exception("a block could not be measured", extra={"block": str(block)})
        state, said = "failed", NotMeasurable(FAILED)
    seconds = round(time.perf_counter() - began, 3)
    ended = {"state": state, "sentence": str(said), "template": said.template, "facts": said.facts}
    return {**ended, "seconds": seconds}, measures


@transaction.atomic
def measurement_store(
    measurement: Measurement, found: Mapping[tuple[Scope, Block], Iterable[Measure]]
) -> None:
    """In place of an earlier one; `found` are the measures of each block."""
    results = measurement.result_set
    # Where two measure the same results at once, the later one waits here and stores its own.
    ResultSet.objects.select_for_update(no_key=True).get(pk=results.pk)
    Measurement.objects.filter(result_set=results).delete()
    measurement.save()
    results.measures.exclude(block=Block.RESULTS).delete()
    rule = results_disclosure(results, stored_headlines(results))
    for (scope, block), measures in found.items():
        measures_store(measures, block, results=results, scope=scope, may_leave=rule(block, scope))
    scopes = {Scope.ALL: measurement.blocks, Scope.PUBLIC: measurement.public_blocks}
    draws = {"seed": measurement.seed, "resamples": measurement.resamples}
    StudyEvent.objects.create(
        study=results.run.study,
        kind="results_measured",
        details={
            "results": results.pk,
            **draws,
            "blocks": {name: ended for name, ended in scopes.items() if ended},
        },
        happened_at=measurement.computed_at,
    )
