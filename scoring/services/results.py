"""Results: from the stored scores of one run to the estimates of Average and Top."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

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
from studies.bank.canonical import canonical_sha256
from studies.models import Study


def results_compute(*, run: ScoringRun, now: datetime) -> ResultSet:
    """Compute and store everything that follows from the run's scores as they are now."""
    study = run.study
    answers = list(result_answers(run))
    scale = study_scale(study)
    groups = study_groups(answers, study.protocol.top_size)
    with transaction.atomic():
        results = ResultSet.objects.create(
            run=run,
            inputs_sha256=inputs_sha256(answers, study, scale.prompt_categories),
            flow=flow_of(study, answers),
            computed_at=now,
        )
        for name, codes in groups.items():
            own = [answer for answer in answers if answer.participant in codes]
            Estimate.objects.bulk_create(estimates(results, name, own, len(codes), scale))
            if study.protocol.match_rules:
                tasks_store(results, name, own, study.protocol.match_rules)
    return results


def flow_of(study: Study, answers: Iterable[ResultAnswer]) -> dict[str, object]:
    """The flow of people and answers, and what Top was chosen from."""
    with_scores = {answer.participant for answer in answers if answer.score is not None}
    return {
        **study_flow(study).as_dict(),
        "top_size": study.protocol.top_size,
        "with_scores": len(with_scores),
    }


def study_scale(study: Study) -> Scale:
    """The study's item bank and the prompts of its batches."""
    places = BatchPrompt.objects.filter(batch__plan__study=study)
    categories = dict(places.values_list("prompt__prompt_id", "prompt__category"))
    return Scale(item_arrays(study.item_bank) if study.item_bank else None, categories)


def study_groups(answers: Sequence[ResultAnswer], top_size: int) -> dict[str, frozenset[str]]:
    """The codes of each group: everyone retained, and the best `top_size` of them (nobody if too few)."""
    return {
        ResultGroup.AVERAGE: frozenset(answer.participant for answer in answers),
        ResultGroup.TOP: top_group(answers, top_size),
    }


def estimates(
    results: ResultSet, group: str, answers: Sequence[ResultAnswer], participants: int, scale: Scale
) -> Iterable[Estimate]:
    """One row for all prompts, one for each named category."""
    for category in [ALL_CATEGORIES, *scale.categories]:
        numbers = group_numbers(answers, participants=participants, scale=scale.within(category))
        yield Estimate(result_set=results, group=group, category=category, **asdict(numbers))


def tasks_store(results: ResultSet, group: str, answers: Sequence[ResultAnswer], rules: str) -> None:
    tasks = task_accuracies(answers)
    TaskAccuracy.objects.bulk_create(
        TaskAccuracy(
            result_set=results, group=group, task=name, responses=task.n, accuracy=number(task.accuracy)
        )
        for name, task in tasks.items()
    )
    BenchmarkMetric.objects.bulk_create(
        BenchmarkMetric(result_set=results, group=group, name=name, value=value)
        for name, value in benchmark_metrics(tasks, rules).items()
    )


def inputs_sha256(answers: Iterable[ResultAnswer], study: Study, prompt_categories: Mapping[str, str]) -> str:
    """A hash of everything a result depends on: equal inputs give equal numbers.

    It names people and prompts as an export does, so that it can be formed again from one. A place that does
    not count is missing; one that counts and has no score is unscored.
    """
    return canonical_sha256(
        {
            "places": sorted(
                [answer.participant, answer.prompt_id, answer.task, answer.counts, answer.score]
                for answer in answers
            ),
            "prompts": sorted(prompt_categories.items()),
            "item_bank": study.item_bank.digest if study.item_bank else None,
            "top_size": study.protocol.top_size,
            "match_rules": study.protocol.match_rules,
        }
    )
