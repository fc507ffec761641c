"""Which share of the flagged people two reviewers read."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from screening.models import ScreeningPlan
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused


class ShareRefused(Refused):
    """The share is none; nothing was changed."""


@transaction.atomic
def second_share_set(*, study: Study, share: float, actor: User | None, now: datetime) -> ScreeningPlan:
    """Set the share for all verdicts from now on; people who are decided stay so. Raises ShareRefused."""
    if not 0 <= share <= 1:
        raise ShareRefused(_("Write a share from 0 to 100 %."))
    before = ScreeningPlan.objects.select_for_update().filter(study=study).first()
    if before is not None and before.second_share == share:
        return before
    plan, _made = ScreeningPlan.objects.update_or_create(
        study=study, defaults={"second_share": share, "changed_at": now}
    )
    event_record(
        study, StudyEventKind.SECOND_READINGS_SET, now, actor=actor,
        share=share, before=before.second_share if before else None,
    )  # fmt: skip
    return plan
