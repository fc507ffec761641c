"""Results: from the stored scores of one run to the estimates of Average and Top."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from batches.models import BatchPrompt
from scoring.models import BenchmarkMetric, Estimate, ResultGroup, ResultSet, ScoringRun, TaskAccuracy
from scoring.selectors.answers import ResultAnswer, result_answers
from scoring.selectors.flow import study_flow
from scoring.selectors.item_banks import item_arrays
from scoring.services.aggregates import (
    ALL_CATEGORIES,
    Scale,
    group_numbers,
    number,
    top_group,
)
from scoring.services.benchmarks import benchmark_metrics, task_accuracies
from scoring.stats.cohort import PUBLIC
from scoring.stats.measures import Scope
from studies.bank.canonical import canonical_sha256
from studies.models import Study


def results_compute(*, run: ScoringRun, now: datetime) -> ResultSet:
    """Compute and store everything that follows from the run's scores as they are now.

    Where prompts of a private split were asked, once more from the answers to the public ones alone.
    """
    study = run.study
    answers = list(result_answers(run))
    scales = study_scales(study)
    hashes = {scope: inputs_sha256(answers, study, scale) for scope, scale in scales.items()}
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
    protocol = results.run.study.protocol
    for group, codes in study_groups(answers, protocol.top_size).items():
        part = {"result_set": results, "scope": scope, "group": group}
        own = [answer for answer in answers if answer.participant in codes]
        Estimate.objects.bulk_create(estimates(part, own, len(codes), scale))
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


def study_scales(study: Study) -> dict[Scope, Scale]:
    """The study's item bank and the prompts of its batches: all, and if some are private, the public ones."""
    places = BatchPrompt.objects.filter(batch__plan__study=study)
    categories = dict(places.values_list("prompt__prompt_id", "prompt__category"))
    private = frozenset(places.exclude(prompt__split=PUBLIC).values_list("prompt__prompt_id", flat=True))
    everything = Scale(item_arrays(study.item_bank) if study.item_bank else None, categories, private)
    if not private:
        return {Scope.ALL: everything}
    return {Scope.ALL: everything, Scope.PUBLIC: replace(everything, left_out=private)}


def study_groups(answers: Sequence[ResultAnswer], top_size: int) -> dict[str, frozenset[str]]:
    """The codes of each group: everyone retained, and the best `top_size` of them (nobody if too few)."""
    return {
        ResultGroup.AVERAGE: frozenset(answer.participant for answer in answers),
        ResultGroup.TOP: top_group(answers, top_size),
    }


def estimates(
    part: Mapping[str, Any], answers: Sequence[ResultAnswer], participants: int, scale: Scale
) -> Iterable[Estimate]:
    """One row for all prompts, one for each named category."""
    for category in [ALL_CATEGORIES, *scale.categories]:
        numbers = group_numbers(
            answers,
            participants=participants,
            scale=scale.within(category),
            selected=part["group"] == ResultGroup.TOP,
        )
        yield Estimate(**part, category=category, **asdict(numbers))


def tasks_store(part: Mapping[str, Any], answers: Sequence[ResultAnswer], rules: str) -> None:
    tasks = task_accuracies(answers)
    TaskAccuracy.objects.bulk_create(
        TaskAccuracy(**part, task=name, responses=task.n, accuracy=number(task.accuracy))
        for name, task in tasks.items()
    )
    BenchmarkMetric.objects.bulk_create(
        BenchmarkMetric(**part, name=name, value=value)
        for name, value in benchmark_metrics(tasks, rules).items()
    )


def inputs_sha256(answers: Iterable[ResultAnswer], study: Study, scale: Scale) -> str:
    """A hash of everything a result on this scale depends on: equal inputs give equal numbers.

    It names people and prompts as an export does, so that it can be formed again from one. A place that does
    not count is missing; one that counts and has no score is unscored.
    """
    return canonical_sha256(
        {
            "places": sorted(
                [answer.participant, answer.prompt_id, answer.task, answer.counts, answer.score]
                for answer in answers
                if answer.prompt_id in scale.asked
            ),
            "prompts": sorted((name, scale.prompt_categories[name]) for name in scale.asked),
            "item_bank": study.item_bank.digest if study.item_bank else None,
            "top_size": study.protocol.top_size,
            "match_rules": study.protocol.match_rules,
        }
    )
