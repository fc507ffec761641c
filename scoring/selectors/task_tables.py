"""What a benchmark with tasks is compared with: the study's table of models, and the questions themselves."""

from collections.abc import Iterable
from dataclasses import asdict

from django.db.models import Count, Q, QuerySet

from psychometrics.benchmark.accuracy_table import TableColumn
from psychometrics.benchmark.metrics import task_key
from scoring.models import ModelConfiguration, ModelScore, ResultSet
from scoring.selectors.leaderboards import models_of, models_on
from scoring.selectors.scopes import study_prompts
from studies.models import Item, ItemBank, Study, StudyRole

MOST_TASKS = 100  # items of a bank that is one of tasks


def table_columns(study: Study) -> list[TableColumn]:
    """The columns of the table that was imported with the study's task-level item bank, in its order.

    Only scores under the name of a task of the study's prompts count: a bank of prompts has no such column.
    """
    return [] if study.item_bank is None else _columns(study, models_of(study))


def published_columns(results: ResultSet) -> list[TableColumn]:
    """The same; of a study without an item bank those that were kept with its results (`newest_table`)."""
    if results.run.study.item_bank is not None:
        return table_columns(results.run.study)
    return [TableColumn(**column) for column in (results.published or {"columns": ()})["columns"]]


def newest_table(study: Study) -> dict[str, object] | None:
    """What results of a study without an item bank keep: the newest table that knows all of its tasks.

    Only of its own team, of those who run the site, or of the command line: nobody's upload changes what
    another team reports, or has its models named there.
    """
    bank = _newest_bank(study)
    if bank is None:
        return None
    columns = [asdict(column) for column in _columns(study, models_on(bank.pk))]
    return {"bank": bank.slug, "digest": bank.digest, "columns": columns}


def has_newer_table(results: ResultSet, study: Study) -> bool:
    """Whether computing again would set these results beside another table than they kept, or beside one."""
    bank, kept = _newest_bank(study), results.published or {}
    return bank is not None and (kept.get("bank"), kept.get("digest")) != (bank.slug, bank.digest)


def _newest_bank(study: Study) -> ItemBank | None:
    if study.item_bank_id is not None or study.protocol.match_rules is None:
        return None
    keys = {task_key(task) for task in _asked_tasks(study)}
    own = Q(imported_by=None) | Q(imported_by__is_superuser=True)
    own |= Q(imported_by__in=StudyRole.objects.filter(study=study).values("user"))
    small = ItemBank.objects.filter(own).annotate(number=Count("items")).filter(number__lte=MOST_TASKS)
    for bank in small.order_by("-imported_at", "-pk") if keys else ():
        if keys <= {task_key(name) for name in bank.items.values_list("prompt_id", flat=True)}:
            return bank
    return None


def _columns(study: Study, models: QuerySet[ModelConfiguration]) -> list[TableColumn]:
    keys = {task_key(task) for task in _asked_tasks(study)}
    columns: dict[int, TableColumn] = {}
    rows = (
        ModelScore.objects.filter(configuration__in=models.values("pk"), epoch=1)
        .order_by("configuration", "pk")
        .values_list("configuration", "configuration__name", "prompt_id", "score")
    )
    for number, name, task, score in rows:
        column = columns.setdefault(number, TableColumn(name, {}))
        if score is not None and task_key(task) in keys:
            column.accuracy[task_key(task)] = 100 * score
    return [column for column in columns.values() if column.accuracy]


def holds_tasks(study: Study) -> bool:
    """Whether the items of the study's bank are tasks of its prompts, and no prompt is one of its items.

    Then theta is that of accuracies per task; nothing places a single answer on the bank.
    """
    return tasks_are_items(study, _asked_tasks(study))


def tasks_are_items(study: Study, asked: Iterable[str]) -> bool:
    """The same, of a study that asks prompts of these tasks."""
    tasks = {task_key(task) for task in asked}
    if study.item_bank is None or not tasks:
        return False
    items = Item.objects.filter(item_bank=study.item_bank)
    if items.filter(prompt_id__in=study_prompts(study).values("prompt_id")).exists():
        return False
    return any(task_key(name) in tasks for name in items.values_list("prompt_id", flat=True))


def _asked_tasks(study: Study) -> set[str]:
    return set(study_prompts(study).exclude(task="").values_list("task", flat=True))
