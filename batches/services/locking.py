"""Locking a study, from its pages and by command alike: only with question sets that fit its settings."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import BatchPlan
from batches.selectors.plans import plan_matches
from studies.models import Study, StudyStatus, User
from studies.services.refusals import Refused
from studies.services.studies import study_freeze, study_lock


class LockRefused(Refused):
    """Something is missing or was not confirmed; the study is a draft still."""


@transaction.atomic
def study_freeze_built(
    *, study: Study, without_item_bank: bool, now: datetime, actor: User | None = None
) -> Study:
    """Freeze a study whose question sets are built under its settings.

    `without_item_bank` confirms that there will be no ability. Raises LockRefused, or what `study_freeze`
    raises.
    """
    study = study_lock(study)
    if study.status == StudyStatus.DRAFT:
        _require_built(study, without_item_bank=without_item_bank)
    return study_freeze(study=study, now=now, actor=actor)


def _require_built(study: Study, *, without_item_bank: bool) -> None:
    if study.item_bank is None and not without_item_bank:
        raise LockRefused(
            _(
                "The study has no item parameters. It is not locked: choose an item bank, or confirm that "
                "there will be raw scores only."
            )
        )
    plan = BatchPlan.objects.filter(study=study).first()
    if plan is None or not plan_matches(plan, study):
        raise LockRefused(
            _("The question sets are not built under these settings. Build them, then lock the study.")
        )
