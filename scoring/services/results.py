"""Results: from the stored scores of one run to the estimates of Average and Top."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction

from judging.models import ScoringRun
from judging.selectors.answers import result_answers
from psychometrics.benchmark.summaries import benchmark_metrics, task_accuracies
from psychometrics.data.answers import ResultAnswer
from psychometrics.inference.estimates import none_if_nan
from psychometrics.inference.measure import Scope
from psychometrics.measures.aggregates import ALL_CATEGORIES, Scale, group_numbers, is_nested
from psychometrics.top.group import top_group
from scoring.models import BenchmarkMetric, Estimate, ResultGroup, ResultSet, TaskAccuracy
from scoring.services.result_inputs import inputs_hashes, study_scales
from screening.selectors.flow import study_flow
from studies.models import Study


def results_compute(*, run: ScoringRun, now: datetime) -> ResultSet:
    """Compute and store everything that follows from the run's scores as they are now.

    Where prompts of a private split were asked, once more from the answers to the public ones alone.
    """
    study = run.study
    answers = list(result_answers(run))
    scales = study_scales(study)
    hashes = inputs_hashes(answers, study, scales)
    with transaction.atomic():
        results = ResultSet.objects.create(
            run=run,
            inputs_sha256=hashes[Scope.ALL],
            inputs_sha256_public=hashes.get(Scope.PUBLIC, ""),
            flow=flow_of(study, answers),
            computed_at=now,
        )
        for scope, scale in scales.items():
            asked = [answer for answer in answers if answer.prompt_id in scale.asked]
            scope_store(results, scope, asked, scale)
    return results


def scope_store(results: ResultSet, scope: Scope, answers: Sequence[ResultAnswer], scale: Scale) -> None:
    """Average and Top, the latter chosen by these answers; and per task, where there are tasks."""
    protocol, nested = results.run.study.protocol, is_nested(answers, scale)
    for group, codes in study_groups(answers, protocol.top_size).items():
        part = {"result_set": results, "scope": scope, "group": group}
        own = [answer for answer in answers if answer.participant in codes]
        Estimate.objects.bulk_create(estimates(part, own, len(codes), scale, nested=nested))
        if protocol.match_rules:
            tasks_store(part, own, protocol.match_rules)


def flow_of(study: Study, answers: Iterable[ResultAnswer]) -> dict[str, object]:
    """The flow of people and answers, and what Top was chosen from."""
    with_scores = {answer.participant for answer in answers if answer.score is not None}
    return {
        **study_flow(study).as_dict(),
        "top_size": study.protocol.top_size,
        "with_scores": len(with_scores),
    }


def study_groups(answers: Sequence[ResultAnswer], top_size: int) -> dict[str, frozenset[str]]:
    """The codes of each group: everyone retained, and the best `top_size` of them (nobody if too few)."""
    return {
        ResultGroup.AVERAGE: frozenset(answer.participant for answer in answers),
        ResultGroup.TOP: top_group(answers, top_size),
    }


def estimates(
    part: Mapping[str, Any], answers: Sequence[ResultAnswer], participants: int, scale: Scale, *, nested: bool
) -> Iterable[Estimate]:
    """One row for all prompts, one for each named category."""
    for category in [ALL_CATEGORIES, *scale.categories]:
        numbers = group_numbers(
            answers,
            participants=participants,
            scale=scale.within(category),
            selected=part["group"] == ResultGroup.TOP,
            nested=nested,
            in_category=category != ALL_CATEGORIES,
        )
        yield Estimate(**part, category=category, **asdict(numbers))


def tasks_store(part: Mapping[str, Any], answers: Sequence[ResultAnswer], rules: str) -> None:
    tasks = task_accuracies(answers)
    TaskAccuracy.objects.bulk_create(
        TaskAccuracy(**part, task=name, responses=task.n, accuracy=none_if_nan(task.accuracy))
        for name, task in tasks.items()
    )
    BenchmarkMetric.objects.bulk_create(
        BenchmarkMetric(**part, name=name, value=value)
        for name, value in benchmark_metrics(tasks, rules).items()
    )
