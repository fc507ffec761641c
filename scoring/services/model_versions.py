"""What is known of models on an item bank, in versions: a locked study keeps the one it is pinned to.

Who stores or deletes models of a bank does so alone, and whoever measures waits for that. Models that nobody
sees are what an import has not published yet, or what is being deleted.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from scoring.models import ModelConfiguration, ModelScore
from scoring.selectors.leaderboards import model_changes
from studies.models import ItemBank, Study, StudyStatus, User
from studies.services.database import one_of_many_writes
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import study_lock

NAMED = 20  # models that an event names
# There at no version: what is stored or deleted, slice by slice, and not published yet or no more.
UNPUBLISHED = 0
ROWS_PER_WRITE = 1000


class NoNewerModels(Refused):
    """There is nothing that the study could take over, or something else than what was looked at."""


def models_lock(item_bank: ItemBank) -> None:
    """Nobody else stores or deletes models of this bank until the transaction ends."""
    ItemBank.objects.select_for_update(no_key=True).get(pk=item_bank.pk)


def models_version_next(item_bank: ItemBank) -> int:
    """The number of the bank's next version, from now on its newest. Call it under `models_lock`."""
    ItemBank.objects.filter(pk=item_bank.pk).update(models_version=F("models_version") + 1)
    item_bank.refresh_from_db(fields=["models_version"])
    return item_bank.models_version


def models_settle(study: Study) -> None:
    """Wait for whoever stores or deletes models of the study's item bank at this moment.

    What they write bears the moment at which they began. Whoever reads after this has all that is older.
    """
    if study.item_bank is not None:
        with transaction.atomic():
            models_lock(study.item_bank)


@transaction.atomic
def models_take(*, study: Study, seen: int | None, now: datetime, actor: User | None = None) -> Study:
    """Compare a locked study with the newest results of models from now on; its results are to be recomputed.

    `seen` is the version that whoever asks looked at; None: whichever is the newest. Raises NoNewerModels.
    """
    study = study_lock(study)
    changes = model_changes(study)
    if study.status == StudyStatus.DRAFT or changes is None:
        raise NoNewerModels(_("There are no newer results of models that this study could take over."))
    if seen not in (None, changes.version):
        raise NoNewerModels(
            _("Other results of models were imported after you opened this page. Look at them first.")
        )
    before, study.models_version = study.models_version, changes.version
    study.save(update_fields=["models_version"])
    event_record(
        study, StudyEventKind.MODELS_TAKEN, now, actor=actor, item_bank=changes.item_bank,
        version=changes.version, version_before=before, number=len(changes.added) + len(changes.replaced),
        added=changes.added[:NAMED], replaced=changes.replaced[:NAMED],
    )  # fmt: skip
    return study


def models_remove(configurations: Sequence[int]) -> None:
    """Delete configurations that nobody sees, with their scores."""
    scores = ModelScore.objects.filter(configuration__in=configurations)
    while ids := list(scores.values_list("pk", flat=True)[:ROWS_PER_WRITE]):
        with one_of_many_writes():
            ModelScore.objects.filter(pk__in=ids).delete()
    ModelConfiguration.objects.filter(pk__in=configurations).delete()


def model_drafts_clear(*, before: datetime) -> None:
    """Delete what imports left that were killed, begun before that moment."""
    drafts = ModelConfiguration.objects.filter(until=UNPUBLISHED, imported_at__lt=before)
    models_remove(list(drafts.values_list("pk", flat=True)))
