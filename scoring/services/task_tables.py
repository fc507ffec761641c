"""A table of models by tasks becomes an item bank of tasks, with its columns as model configurations."""

from datetime import datetime

from django.db import transaction

from psychometrics.benchmark.accuracy_table import AccuracyTable
from psychometrics.benchmark.metrics import task_key
from psychometrics.benchmark.theta import TRANSFORM, TaskCalibration, calibrated_tasks
from psychometrics.calibration import NotCalibratable, item_parameters_of
from scoring.models import ModelConfiguration, ModelScore
from scoring.selectors.leaderboards import models_on
from scoring.services.model_versions import models_lock, models_version_next
from studies.models import Item, ItemBank, User
from studies.services.banks import item_bank_import
from studies.services.refusals import Refused

PERCENT = 100
MAX_CHARACTERS = (
    ("task", Item._meta.get_field("prompt_id").max_length),
    ("model", ModelConfiguration._meta.get_field("name").max_length),
)


class TableNotCalibratable(Refused):
    """The table does not determine the difficulty of every task, or has names that cannot be stored."""


def task_table_import(
    *, slug: str, table: AccuracyTable, source: str, now: datetime, actor: User | None = None
) -> tuple[ItemBank, TaskCalibration, bool]:
    """Calibrate the tasks, store them as an item bank and the columns as configurations; whether it is new.

    The prompt ids of the bank are the names of the tasks. An accuracy is stored as the score of the
    configuration's only epoch. Raises TableNotCalibratable with a sentence where the fit could not be stored
    as a bank.
    """
    problems = []  # names that are empty or too long, and two names of one task
    for (kind, longest), names in zip(MAX_CHARACTERS, (table.tasks, table.models), strict=True):
        if not all(name.strip() and len(name) <= (longest or 0) for name in names):
            problems.append(f"The name of a {kind} is empty or longer than {longest} characters.")
    named: dict[str, str] = {}
    problems += [
        f"{other!r} and {task!r} are names of one task; keep one."
        for task in table.tasks
        if (other := named.setdefault(task_key(task), task)) != task
    ]
    if problems:
        raise TableNotCalibratable("\n".join(problems))
    try:
        calibration = calibrated_tasks(table)
    except NotCalibratable as refusal:
        raise TableNotCalibratable(str(refusal)) from None
    if not calibration.fit.sigma_hat > 0:  # no bank is stored without
        raise TableNotCalibratable("The tasks fit without any residual; more models are needed.")
    parameters = item_parameters_of(
        calibration.fit, prompt_ids=table.tasks, subcategories=[""] * len(table.tasks), transform=TRANSFORM
    )
    with transaction.atomic():
        item_bank, created = item_bank_import(slug=slug, parameters=parameters, now=now, actor=actor)
        models_lock(item_bank)
        if not models_on(item_bank.pk).exists():
            _columns_store(item_bank, table, source, now)
    return item_bank, calibration, created


def _columns_store(item_bank: ItemBank, table: AccuracyTable, source: str, now: datetime) -> None:
    version = models_version_next(item_bank)
    configurations = ModelConfiguration.objects.bulk_create(
        ModelConfiguration(
            item_bank=item_bank,
            name=name,
            source=source,
            epochs=1,
            sha256=item_bank.digest,
            since=version,
            imported_at=now,
        )
        for name in table.models
    )
    scores = []
    for place, model in enumerate(configurations):
        for task in table.tasks:
            percent = table.accuracy_percent[task][place]
            score = None if percent is None else percent / PERCENT
            scores.append(ModelScore(configuration=model, prompt_id=task, epoch=1, score=score))
    ModelScore.objects.bulk_create(scores)
