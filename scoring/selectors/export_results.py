"""Results, and what the measurement puts beside them, as export rows: no private prompt by its id, nobody
who withdrew, nobody's private answers.
"""

from collections.abc import Iterator
from dataclasses import asdict

from django.db.models import Case, Q, When

from psychometrics.benchmark.accuracy_table import best_on
from psychometrics.inference.measure import Scope
from scoring.export.rows import results as row_types
from scoring.models import ModelScore, ResultSet
from scoring.selectors.export_columns import public_labels, run_numbers, stored_columns
from scoring.selectors.headlines import Headlines, headlines, scopes_in_order
from scoring.selectors.leaderboards import models_of
from scoring.selectors.runs import newest_results, runs_of
from scoring.selectors.scopes import hidden_items, study_prompts
from scoring.selectors.task_tables import published_columns
from screening.selectors.participants import screened_participants
from studies.models import Item, Study
from studies.selectors.private_questions import of_public

ESTIMATE_COLUMNS = [name for name in row_types.EstimateRow.model_fields if name != "run"]


def _numbered_results(study: Study) -> Iterator[tuple[int, ResultSet]]:
    """The newest results of every run that has any."""
    for number, run in enumerate(runs_of(study), start=1):
        results = newest_results(run)
        if results is not None:
            yield number, results


def _numbered_headlines(study: Study) -> Iterator[tuple[int, Headlines]]:
    """What of them may leave the site, by scope: the leading one first."""
    for number, results in _numbered_results(study):
        found, order = headlines(results, Q(may_leave=True)), scopes_in_order(results)
        for rows in found:
            rows.sort(key=lambda row: order.index(Scope(row.scope)))
        yield number, found


def estimate_rows(study: Study) -> Iterator[row_types.EstimateRow]:
    """The newest estimates of every run; without their numbers where these would tell of a private prompt."""
    for number, found in _numbered_headlines(study):
        for group in found.groups:
            values = {name: getattr(group, name) for name in ESTIMATE_COLUMNS}
            values |= {name: values[name] or None for name in ("reason_pool", "reason_ql", "interval")}
            yield row_types.EstimateRow(run=number, **values)


def task_rows(study: Study) -> Iterator[row_types.TaskRow]:
    """The newest accuracies per task of every run: a task may have one private prompt only."""
    published = {number: published_columns(results) for number, results in _numbered_results(study)}
    for number, found in _numbered_headlines(study):
        for task in map(asdict, found.tasks):
            del task["reason"]  # it is in the measures
            name, share = best_on(published[number], task["task"]) or (None, None)
            yield row_types.TaskRow(run=number, **task, best_published=name, best_published_accuracy=share)


def metric_rows(study: Study) -> Iterator[row_types.MetricRow]:
    """The newest summaries of the tasks of every run."""
    for number, found in _numbered_headlines(study):
        yield from (row_types.MetricRow(run=number, **asdict(metric)) for metric in found.metrics)


def measure_rows(study: Study) -> Iterator[row_types.MeasurementRow]:
    """The measurement of the newest results of every run."""
    numbers, labels = run_numbers(study), public_labels(study)
    texts = ("group", "subset", "participant", "prompt_id", "reason")
    for number, results in _numbered_results(study):
        other = Case(When(scope=scopes_in_order(results)[0], then=0), default=1)
        measures = results.measures.filter(may_be_exported(study)).order_by(other, "pk")
        for values in stored_columns(
            row_types.MeasurementRow, measures, computed=("run", "label"), empty_as_none=texts
        ):
            if (other := values["details"].get("run")) is not None:  # of another judge
                values["details"]["run"] = numbers[other]
            yield row_types.MeasurementRow(run=number, label=labels.get(values["prompt_id"]), **values)


def may_be_exported(study: Study) -> Q:
    """Those of a study's measures that may leave the site: nobody's who withdrew is among them."""
    people = screened_participants(study).values("code")
    return (Q(participant="") | Q(participant__in=people)) & Q(may_leave=True)


def item_rows(study: Study) -> Iterator[row_types.ItemRow]:
    """Every item of the study's bank but those of private prompts, in the order of their import."""
    labels = public_labels(study)
    items = Item.objects.filter(item_bank=study.item_bank_id).exclude(pk__in=hidden_items(study).values("pk"))
    for values in stored_columns(row_types.ItemRow, items.order_by("pk"), computed=("label",)):
        yield row_types.ItemRow(label=labels.get(values["prompt_id"]), **values)


def model_rows(study: Study) -> Iterator[row_types.ModelRow]:
    """Every configuration that the study is compared with, by name."""
    in_order = models_of(study).order_by("name")
    for values in stored_columns(row_types.ModelRow, in_order, {"model": "name"}):
        yield row_types.ModelRow(**values)


def model_score_rows(study: Study) -> Iterator[row_types.ModelScoreRow]:
    """Their scores on what the tables `items` and `prompts` hold."""
    labels = public_labels(study)
    asked = study_prompts(study).filter(of_public())
    items = Item.objects.filter(item_bank=study.item_bank_id)
    scores = ModelScore.objects.filter(
        Q(prompt_id__in=asked.values("prompt_id")) | Q(prompt_id__in=items.values("prompt_id")),
        configuration__in=models_of(study).values("pk"),
    ).exclude(prompt_id__in=hidden_items(study).values("prompt_id"))
    in_order = scores.order_by("configuration__name", "prompt_id", "epoch")
    paths = {"model": "configuration__name"}
    for values in stored_columns(row_types.ModelScoreRow, in_order, paths, computed=("label",)):
        yield row_types.ModelScoreRow(label=labels.get(values["prompt_id"]), **values)
