"""Which prompts a person has met before."""

from batches.models import Answer, BatchPlan, BatchPrompt
from studies.models import Participant


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
