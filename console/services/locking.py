"""Locking a study from its pages: as it was shown there."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.services.locking import LockRefused, study_freeze_built
from console.selectors.design import Assumptions, Design
from studies.models import Study, User
from studies.services.drafts import draft_sha256
from studies.services.events import StudyEventKind, event_record
from studies.services.studies import study_lock


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

    Raises LockRefused, or what `study_freeze_built` raises.
    """
    study = study_lock(study)
    if seen != draft_sha256(study, names):
        raise LockRefused(
            _("The study was changed after you opened this page. It is not locked; read it once more below.")
        )
    return study_freeze_built(study=study, without_item_bank=without_item_bank, now=now, actor=actor)


@transaction.atomic
def plan_keep(
    *, study: Study, assumed: Assumptions, design: Design, now: datetime, actor: User | None
) -> None:
    """Keep what the design can show with the study, as it is now."""
    event_record(
        study_lock(study), StudyEventKind.PLANNED, now, actor=actor, assumed=asdict(assumed),
        found=asdict(design),
    )  # fmt: skip
