"""How full the batches of a study are."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from batches.models import Answer, Batch, BatchPlan, Session
from batches.rules.assignment import BatchLoad
from batches.rules.statuses import SessionStatus


def counting_sessions(plan: BatchPlan) -> QuerySet[Session]:
    """Sessions that fill a place: live, submitted, or expired with something that counts; no test people.

    A place whose person withdrew, or let the time pass without leaving anything that counts, is free again.
    """
    written = Answer.objects.filter(session=OuterRef("pk"), has_text=True)
    fills = Q(status__in=[SessionStatus.ACTIVE, SessionStatus.SUBMITTED])
    fills |= Q(status=SessionStatus.EXPIRED, overdue_rule="saved_counts") & Q(Exists(written))
    return Session.objects.filter(fills, batch__plan=plan, participant__is_test=False)


def batch_loads(plan: BatchPlan, *, profile: str) -> list[BatchLoad]:
    """The load of every batch of the plan, as seen by somebody of this profile."""
    of_profile = Count("pk", filter=Q(participant__profile=profile))
    rows = counting_sessions(plan).values_list("batch").annotate(in_profile=of_profile, total=Count("pk"))
    counts = {batch_id: (in_profile, total) for batch_id, in_profile, total in rows}
    batch_ids = Batch.objects.filter(plan=plan).values_list("pk", flat=True)
    return [BatchLoad(batch_id, *counts.get(batch_id, (0, 0))) for batch_id in batch_ids]
