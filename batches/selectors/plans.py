"""Reads of batch plans: what batches hold, how full they are, and which have prompts a person has met."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import Count, Q

from batches.models import Answer, Batch, BatchPlan, BatchPrompt, BatchSlot, Session
from batches.rules.assignment import BatchLoad
from batches.rules.coverage import PromptTraits
from batches.rules.statuses import SessionStatus
from batches.selectors.sums import has_written
from studies.models import Item, Participant, Prompt, Study
from studies.protocol.settings import ProtocolSettings
from studies.roles import Can
from studies.selectors.categories import question_categories
from studies.selectors.private_questions import private_prompts

PUBLIC_REPORT = "public"  # in a plan's report, the one on its public prompts alone


def prompt_traits(study: Study) -> list[PromptTraits]:
    """What assembly knows of each prompt: item parameters where the study's item bank has them."""
    items = Item.objects.filter(item_bank=study.item_bank_id) if study.item_bank_id else Item.objects.none()
    known = {prompt_id: (a, b) for prompt_id, a, b in items.values_list("prompt_id", "a", "b")}
    rows, held = Prompt.objects.filter(version=study.bank_version_id), question_categories(study)
    traits = []
    for prompt_id, modality in rows.values_list("prompt_id", "modality"):
        a, b = known.get(prompt_id, (None, None))
        category = held[prompt_id].category
        traits.append(PromptTraits(prompt_id=prompt_id, a=a, b=b, category=category, modality=modality))
    return traits


def plan_report(plan: BatchPlan, rights: Collection[Can]) -> dict[str, Any] | None:
    """The stored report on the batches; where there are private prompts that the reader may not see, the one
    on the public ones with whole sizes (`public_only`). None where a version built them that kept none.
    """
    stored: dict[str, Any] = plan.report
    if Can.SEE_PRIVATE in rights or not private_prompts(plan.study).exists():
        return stored
    public: dict[str, Any] | None = stored.get(PUBLIC_REPORT)
    return public and public | {"public_only": True}


def people_per_batch(protocol: ProtocolSettings) -> int:
    """How many people work on a batch once all its places are taken."""
    return 1 if protocol.assembly == "matrix" else people_per_prompt(protocol)


def people_per_prompt(protocol: ProtocolSettings) -> int:
    """How many people are asked a prompt once all places are taken."""
    return len(protocol.profiles) * protocol.replicates_per_profile


def plan_places(protocol: ProtocolSettings) -> dict[str, object]:
    """What the slots of a plan are made from; empty where there are none."""
    if not protocol.has_fixed_places:
        return {}
    return {
        "profiles": [profile.slug for profile in protocol.profiles],
        "replicates": protocol.replicates_per_profile,
        "arms": list(protocol.arm_slugs),
    }


def plan_matches(plan: BatchPlan, study: Study) -> bool:
    """Whether building now, under the study's settings, would make these batches once more."""
    protocol = study.protocol
    wanted = (
        study.bank_version_id, protocol.batch_size, protocol.assembly, protocol.assembly_seed,
        plan_places(protocol),
    )  # fmt: skip
    built = (plan.bank_version_id, plan.batch_size, plan.assembly, plan.seed, plan.places)
    # Sets that are drawn at random do not depend on what the prompts are about.
    balanced_on = (plan.item_bank_id, plan.category_source)
    same_items = protocol.assembly == "random" or balanced_on == (
        study.item_bank_id, protocol.categories_hold_of,
    )  # fmt: skip
    return wanted == built and same_items


def fills_place(session: str = "") -> Q:
    """Whether a session, to which this is the path, fills a place: live, submitted, or expired with something
    that counts.
    """
    status = f"{session}status"
    fills = Q(**{f"{status}__in": [SessionStatus.ACTIVE, SessionStatus.SUBMITTED]})
    kept = Q(**{status: SessionStatus.EXPIRED, f"{session}overdue_rule": "saved_counts"})
    return fills | kept & has_written(session)


def batch_loads(plan: BatchPlan, participant: Participant) -> list[BatchLoad]:
    """The load of every batch of the plan, as seen by this person. To test people all places are open.

    A place whose person withdrew, or let the time pass without leaving anything that counts, is free again;
    so is one that the study team gave to somebody else. Test people fill none.
    """
    counted = Session.objects.filter(
        fills_place(), batch__plan=plan, participant__is_test=False, participant__replaced_by=None
    )
    in_batch = dict(counted.values_list("batch").annotate(total=Count("pk")))
    in_profile: dict[int, Counter[str]] = defaultdict(Counter)
    of_profile = counted.filter(participant__profile=participant.profile)
    for batch_id, arm, people in of_profile.values_list("batch", "arm").annotate(people=Count("pk")):
        in_profile[batch_id][arm] = people
    places = _profile_places(plan, participant)
    loads = []
    for batch_id, cut in Batch.objects.filter(plan=plan).values_list("pk", "cut"):
        # Left are the arms of the places but the first of each arm, as many as are taken.
        left = Counter() if participant.is_test else Counter(in_profile[batch_id])
        open_arms = []
        for arm in places[batch_id]:
            if left[arm] > 0:
                left[arm] -= 1
            else:
                open_arms.append(arm)
        people = in_profile[batch_id].total()
        load = BatchLoad(
            batch_id, in_profile=people, total=in_batch.get(batch_id, 0), open_arms=tuple(open_arms), cut=cut
        )
        loads.append(load)
    return loads


def _profile_places(plan: BatchPlan, participant: Participant) -> Mapping[int, Sequence[str]]:
    """The arms of the places of the person's profile, by batch, in the order in which they are given away.

    Unless places are laid down with the plan, every batch has as many as the protocol asks for.
    """
    if not plan.places:
        replicates = participant.study.protocol.replicates_per_profile
        return defaultdict(lambda: [""] * replicates)
    places: dict[int, list[str]] = defaultdict(list)
    slots = BatchSlot.objects.filter(batch__plan=plan, profile=participant.profile).order_by(
        "batch", "number"
    )
    for batch_id, arm in slots.values_list("batch", "arm"):
        places[batch_id].append(arm)
    return places


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
