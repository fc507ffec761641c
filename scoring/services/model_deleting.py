"""Models' results that were imported by mistake are taken out again."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from scoring.models import ModelConfiguration
from scoring.selectors.leaderboards import studies_comparing, studies_resting_on
from scoring.services.model_versions import NAMED, UNPUBLISHED, models_lock, models_remove
from studies.models import Study, User
from studies.services.events import StudyEventKind
from studies.services.refusals import Refused
from studies.services.site_objects import site_object_change


class ResultsStand(Refused):
    """Results were computed with these models, and nobody asked to compute them again."""


def models_delete(
    *, models: Sequence[ModelConfiguration], recompute: bool, actor: User | None, now: datetime
) -> list[Study]:
    """Delete these models of one item bank with their scores, for good; return the studies to recompute.

    Every study that is compared with them has it in its trail (`site_object_change`). Raises ResultsStand
    where results of studies rest on them, unless they are to be computed again (`recompute`): whoever calls
    sees to that. Raises UsedByOthers where `actor` may not judge in a locked study that has them.
    """
    resting = _withdraw(models, recompute, actor, now)
    models_remove([model.pk for model in models])
    return resting


@transaction.atomic
def _withdraw(
    models: Sequence[ModelConfiguration], recompute: bool, actor: User | None, now: datetime
) -> list[Study]:
    """Let nobody be compared with them from now on."""
    bank = models[0].item_bank
    models_lock(bank)
    site_object_change(
        users=studies_comparing(models),
        kind=StudyEventKind.MODELS_DELETED,
        refusal=_(
            "Nothing was deleted: locked studies in which you may not judge are compared with these models. "
            "Ask whoever runs this site to delete them."
        ),
        actor=actor,
        now=now,
        item_bank=bank.slug,
        number=len(models),
        models=[model.name for model in models[:NAMED]],
    )
    resting = studies_resting_on(models)
    if resting and not recompute:
        raise ResultsStand(
            _(
                "Nothing was deleted: results of %(studies)s were computed with these models. Choose to "
                "compute them again, or leave the models."
            )
            % {"studies": ", ".join(study.name for study in resting)}
        )
    ModelConfiguration.objects.filter(pk__in=[model.pk for model in models]).update(until=UNPUBLISHED)
    return resting
