"""How many people of each profile a design has places for, who holds them, and who waits for one."""

from collections import Counter
from collections.abc import Mapping

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from batches.models import BatchPlan, BatchSlot
from batches.selectors.plans import fills_place
from studies.models import Participant, Study, StudyEvent, VettingStatus
from studies.selectors.participants import withdrew
from studies.services.events import StudyEventKind


def places_of(study: Study) -> Mapping[str, int] | None:
    """How many places the question sets have for each profile; None before they are built."""
    plan = BatchPlan.objects.filter(study=study).annotate(sets=Count("batches")).first()
    if plan is None:
        return None
    profiles = [profile.slug for profile in study.protocol.profiles]
    if not plan.places:
        return dict.fromkeys(profiles, plan.sets * study.protocol.replicates_per_profile)
    slots = BatchSlot.objects.filter(batch__plan=plan).order_by().values_list("profile")
    return dict.fromkeys(profiles, 0) | dict(slots.annotate(places=Count("pk")))


def place_holders(study: Study) -> QuerySet[Participant]:
    """Everybody who holds a place, or may take one by starting."""
    return Participant.objects.filter(holds_place(), study=study)


def holds_place() -> Q:
    """Whether a person holds a place: they were approved, and may still start or have filled it.

    Not those who withdrew, who let the time pass without leaving anything that counts, or whose place was
    given to somebody else. Test people need none.
    """
    waits = Q(vetting_status=VettingStatus.APPROVED, session=None)
    return Q(is_test=False, replaced_by=None) & (waits | fills_place("session__")) & ~Q(withdrew())


def holders_by_profile(study: Study) -> Mapping[str, int]:
    """How many people of each profile hold a place."""
    rows = place_holders(study).order_by().values_list("profile").annotate(people=Count("pk"))
    return Counter(dict(rows))


def next_on_reserve(study: Study) -> Mapping[str, Participant]:
    """Who waits for a place, of each profile that has anybody: whoever was put on the list first."""
    put = StudyEvent.objects.filter(participant=OuterRef("pk"), kind=StudyEventKind.RESERVED).order_by()
    newest = put.values("participant").annotate(newest=Max("pk")).values("newest")
    waiting = Participant.objects.filter(study=study, vetting_status=VettingStatus.RESERVE)
    first: dict[str, Participant] = {}
    for person in waiting.exclude(withdrew()).order_by(Subquery(newest), "pk"):
        first.setdefault(person.profile, person)
    return first
