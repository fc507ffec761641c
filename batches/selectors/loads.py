"""How full the batches of a study are, and which of them hold prompts that a person has met before."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from batches.models import Answer, Batch, BatchPlan, BatchPrompt, BatchSlot, Session
from batches.rules.assignment import BatchLoad
from batches.rules.statuses import SessionStatus
from studies.models import Participant


def _counting_sessions(plan: BatchPlan) -> QuerySet[Session]:
    """Sessions that fill a place: live, submitted, or expired with something that counts; no test people.

    A place whose person withdrew, or let the time pass without leaving anything that counts, is free again.
    """
    written = Answer.objects.filter(session=OuterRef("pk"), has_text=True)
    fills = Q(status__in=[SessionStatus.ACTIVE, SessionStatus.SUBMITTED])
    fills |= Q(status=SessionStatus.EXPIRED, overdue_rule="saved_counts") & Q(Exists(written))
    return Session.objects.filter(fills, batch__plan=plan, participant__is_test=False)


def batch_loads(plan: BatchPlan, *, profile: str, replicates: int, takes_place: bool) -> list[BatchLoad]:
    """The load of every batch of the plan, as seen by somebody of this profile.

    `replicates` places of the profile are in every batch, unless places are laid down with the plan. To
    somebody who `takes_place` only free ones are open, to others all.
    """
    counted = _counting_sessions(plan)
    in_batch = dict(counted.values_list("batch").annotate(total=Count("pk")))
    in_profile: dict[int, Counter[str]] = defaultdict(Counter)
    of_profile = counted.filter(participant__profile=profile)
    for batch_id, arm, people in of_profile.values_list("batch", "arm").annotate(people=Count("pk")):
        in_profile[batch_id][arm] = people
    places = _profile_places(plan, profile=profile, replicates=replicates)
    return [
        BatchLoad(
            batch_id,
            in_profile=in_profile[batch_id].total(),
            total=in_batch.get(batch_id, 0),
            open_arms=_open_arms(places[batch_id], in_profile[batch_id] if takes_place else Counter()),
            cut=cut,
        )
        for batch_id, cut in Batch.objects.filter(plan=plan).values_list("pk", "cut")
    ]


def _profile_places(plan: BatchPlan, *, profile: str, replicates: int) -> Mapping[int, Sequence[str]]:
    """The arms of the places of a profile, by batch, in the order in which they are given away."""
    if not plan.places:
        return defaultdict(lambda: [""] * replicates)
    places: dict[int, list[str]] = defaultdict(list)
    slots = BatchSlot.objects.filter(batch__plan=plan, profile=profile).order_by("batch", "number")
    for batch_id, arm in slots.values_list("batch", "arm"):
        places[batch_id].append(arm)
    return places


def _open_arms(places: Sequence[str], taken: Counter[str]) -> tuple[str, ...]:
    """The arms of the places that are left, when the first of each arm are taken."""
    left = Counter(taken)
    found = []
    for arm in places:
        if left[arm] > 0:
            left[arm] -= 1
        else:
            found.append(arm)
    return tuple(found)


def exposed_batches(participant: Participant, plan: BatchPlan) -> set[int]:
    """The ids of the plan's batches with a prompt that was shown to this account in any session.

    A prompt is the same in every version of its bank. One query.
    """
    seen = Answer.objects.filter(
        session__participant__user=participant.user_id,
        first_seen_at__isnull=False,
        prompt__version__bank__versions=plan.bank_version_id,
    ).values("prompt__prompt_id")
    places = BatchPrompt.objects.filter(batch__plan=plan, prompt__prompt_id__in=seen)
    return set(places.order_by().values_list("batch", flat=True))
