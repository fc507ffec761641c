"""Results: from the stored scores of one run to the measures of Average and Top that stand first."""

from dataclasses import asdict
from datetime import datetime

import numpy as np
from django.db import transaction

from judging.models import ScoringRun
from judging.selectors.answers import result_answers
from psychometrics.inference.measure import Block, Measure, Scope
from psychometrics.measures.computing import block_measures, cohorts_of
from psychometrics.measures.inputs import Inputs
from scoring.models import ResultSet
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.measured_facts import Readings, StudyFacts
from scoring.selectors.runs import newest_results
from scoring.selectors.scopes import results_disclosure
from scoring.selectors.task_tables import newest_table
from scoring.services.freshness import has_hashes, inputs_hashes, is_carried_over
from scoring.services.storing import measures_store
from screening.selectors.flow import study_flow
from studies.services.database import snapshot


def results_compute(*, run: ScoringRun, now: datetime) -> ResultSet:
    """Compute and store everything that follows from the run's scores as they are now.

    Where prompts of a private split were asked, once more from the answers to the public ones alone.
    Headlines that an upgrade carried over are replaced in their set of results, where they rest on the same:
    so it keeps its measurement.
    """
    study = run.study
    with snapshot():
        answers = list(result_answers(run))
        hashes = inputs_hashes(answers, study)
        newest = newest_results(run)
        kept = newest is not None and is_carried_over(newest) and has_hashes(newest, hashes)
        results = newest if newest is not None and kept else ResultSet(run=run)
        results.inputs_sha256 = hashes[Scope.ALL]
        results.inputs_sha256_public = hashes.get(Scope.PUBLIC, "")
        with_scores = {answer.participant for answer in answers if answer.score is not None}
        flow = asdict(study_flow(study))
        if not flow["voided"]:  # as stored before sessions could be voided
            del flow["voided"]
        # With what Top was chosen from.
        results.flow = {**flow, "top_size": study.protocol.top_size, "with_scores": len(with_scores)}
        results.computed_at = now
        results.published = newest_table(study)
        headlines = _headlines_of(results)
    with transaction.atomic():
        results.save()
        ResultSet.objects.select_for_update(no_key=True).get(pk=results.pk)
        results.measures.filter(block=Block.RESULTS).delete()
        rule = results_disclosure(results, headlines[Scope.ALL])
        for scope, measures in headlines.items():
            measures_store(
                measures, Block.RESULTS, results=results, scope=scope, may_leave=rule(Block.RESULTS, scope)
            )
    return results


def _headlines_of(results: ResultSet) -> dict[Scope, list[Measure]]:
    """The block Results in every scope; it draws nothing at random."""
    readings, found = Readings(results), {}
    for scope, cohort in cohorts_of(study_cohort(results.run)).items():
        inputs = Inputs(
            facts=StudyFacts(readings, cohort, scope), everyone=cohort, items=readings.items,
            rng=np.random.default_rng(0), resamples=0, progress=lambda done, of: None, scope=scope,
        )  # fmt: skip
        found[scope] = block_measures(Block.RESULTS, inputs)
    return found
