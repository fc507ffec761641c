"""One rating of an audit sample, given on its page."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from judging.models import AuditItem, AuditSample
from judging.selectors.audits import counting_items
from judging.services.audit_ratings import RATER_CHARACTERS, RatingRow, item_take_over
from presentation.numbers import numbered
from studies.models import User
from studies.selectors.roles import study_rights
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused


class ItemRefused(Refused):
    """The rating cannot be recorded; nothing was changed."""


class RatedByAnother(ItemRefused):
    """Somebody else rated this answer: an item has one rater."""


@transaction.atomic
def item_rate(
    *, sample: AuditSample, number: int, score: float, comment: str, actor: User, now: datetime
) -> AuditItem:
    """Record what a person says instead of the judge.

    It stands under their address. A score they gave before is replaced, and the trail keeps it.

    Raises ItemRefused where the answer counts no more, the score is no share or the address is too long, and
    RatedByAnother.
    """
    if len(actor.email) > RATER_CHARACTERS:
        raise ItemRefused(
            _(
                "Your ratings would stand under your address, which is longer than 100 characters; rate with "
                "a shorter one."
            )
        )
    if not 0 <= score <= 1:
        raise ItemRefused(_("A score is a number from 0 to 1."))
    item = AuditItem.objects.select_for_update().filter(sample=sample, number=number).first()
    rights = study_rights(actor, sample.judging_run.study)
    if item is None or not counting_items(sample, rights).filter(pk=item.pk).exists():
        raise ItemRefused(
            _("This answer counts no more: its person withdrew or was left out, or it changed.")
        )
    if item.rater not in {"", actor.email}:
        raise RatedByAnother(
            numbered(
                _("Somebody else rated number %(number)d meanwhile. Nothing of yours was recorded for it."),
                {"number": number},
            )
        )
    earlier = item.human_score
    item_take_over(item, RatingRow(0, sample.pk, number, score, comment.strip()), actor.email, now)
    item.save(update_fields=["human_score", "comment", "rater", "rated_at"])
    event_record(
        sample.judging_run.study, StudyEventKind.AUDIT_RATED, now, actor=actor,
        sample=sample.pk, number=number, earlier=earlier,
    )  # fmt: skip
    return item
