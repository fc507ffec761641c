"""Models' results that were imported by mistake are taken out again."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from scoring.models import ModelConfiguration
from scoring.selectors.leaderboards import studies_resting_on
from scoring.services.model_locks import models_lock
from studies.models import Study, User
from studies.roles import Can
from studies.selectors.roles import studies_beyond
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused

NAMED = 20  # models that an event names


class ResultsOfOthers(Refused):
    """Results rest on the models in studies where the person may not judge."""


class ResultsStand(Refused):
    """Results were computed with these models, and nobody asked to compute them again."""


@transaction.atomic
def models_delete(
    *, models: Sequence[ModelConfiguration], recompute: bool, actor: User | None, now: datetime
) -> list[Study]:
    """Delete these models of one item bank with their scores, for good; return the studies to recompute.

    Every study on the bank has it in its trail. Raises ResultsStand where results of studies rest on them,
    unless they are to be computed again (`recompute`): whoever calls sees to that. Raises ResultsOfOthers
    where `actor` may not judge in one of those studies.
    """
    bank = models[0].item_bank
    models_lock(bank)
    resting = studies_resting_on(models)
    if actor is not None and studies_beyond(actor, resting, Can.JUDGE):
        raise ResultsOfOthers(
            _(
                "Nothing was deleted: results of studies in which you may not judge rest on these models. "
                "Ask whoever runs this site to delete them."
            )
        )
    if resting and not recompute:
        raise ResultsStand(
            _(
                "Nothing was deleted: results of %(studies)s were computed with these models. Choose to "
                "compute them again, or leave the models."
            )
            % {"studies": ", ".join(study.name for study in resting)}
        )
    for study in Study.objects.filter(item_bank=bank):
        event_record(
            study, StudyEventKind.MODELS_DELETED, now, actor=actor, item_bank=bank.slug, number=len(models),
            models=[one.name for one in models[:NAMED]],
        )  # fmt: skip
    ModelConfiguration.objects.filter(pk__in=[one.pk for one in models]).delete()
    return resting
