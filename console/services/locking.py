"""Locking a study from its pages: no sooner than its question sets are built under its settings."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import BatchPlan
from batches.selectors.plans import plan_matches
from console.selectors.design import Assumptions, Design
from studies.models import Study, User
from studies.services.drafts import draft_sha256
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import study_freeze, study_lock


class LockRefused(Refused):
    """Something is missing or was not confirmed; the study is a draft still."""


@transaction.atomic
def study_lock_confirmed(
    *,
    study: Study,
    names: Sequence[str],
    seen: str,
    without_item_bank: bool,
    now: datetime,
    actor: User | None,
) -> Study:
    """Lock the study as it was shown. `seen` is the fingerprint of what was on the page under these `names`;
    `without_item_bank` confirms that there will be no ability.

    Raises LockRefused, or what `study_freeze` raises.
    """
    study = study_lock(study)
    if seen != draft_sha256(study, names):
        raise LockRefused(
            _("The study was changed after you opened this page. It is not locked; read it once more below.")
        )
    if study.item_bank is None and not without_item_bank:
        raise LockRefused(
            _(
                "The study has no item parameters. It is not locked: choose an item bank, or confirm below "
                "that there will be raw scores only."
            )
        )
    plan = BatchPlan.objects.filter(study=study).first()
    if plan is None or not plan_matches(plan, study):
        raise LockRefused(
            _("The question sets are not built under these settings. Build them, then lock the study.")
        )
    return study_freeze(study=study, now=now, actor=actor)


@transaction.atomic
def plan_keep(
    *, study: Study, assumed: Assumptions, design: Design, now: datetime, actor: User | None
) -> None:
    """Keep what the design can show with the study, as it is now."""
    event_record(
        study_lock(study), StudyEventKind.PLANNED, now, actor=actor, assumed=asdict(assumed),
        found=asdict(design),
    )  # fmt: skip
