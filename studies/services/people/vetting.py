"""Decisions on several people at once: all of them, or none."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from studies.models import Participant, Study, User, VettingStatus
from studies.selectors.participants import withdrew
from studies.services.people.participants import participant_approve, participant_reject
from studies.services.refusals import Refused


class PeopleUnknown(Refused):
    """Some of the names belong to nobody in the study."""


@transaction.atomic
def participants_vet(
    *,
    study: Study,
    approve: bool,
    names: list[str] | None,
    now: datetime,
    reason: str = "",
    actor: User | None = None,
    site_url: str | None = None,
) -> list[Participant]:
    """Approve or reject the people with these codes or addresses; None means everyone who waits.

    Each is mailed the decision as `participant_approve` says.
    Raises PeopleUnknown, or VettingRefused for the first decision that cannot be made.
    """
    if names is None:
        waiting = study.participants.filter(~withdrew(), vetting_status=VettingStatus.SUBMITTED)
        chosen = list(waiting.order_by("code"))
    else:
        chosen = _named(study, names)
    decide = participant_approve if approve else participant_reject
    return [decide(participant=one, now=now, actor=actor, reason=reason, site_url=site_url) for one in chosen]


def _named(study: Study, names: list[str]) -> list[Participant]:
    people: dict[int, Participant] = {}  # one person may have been named by code and by address
    unknown = []
    for name in dict.fromkeys(names):
        by_name = Q(code=name.strip().upper()) | Q(user__email=name.strip().lower())
        if (person := study.participants.filter(by_name).first()) is None:
            unknown.append(name)
        else:
            people[person.pk] = person
    if unknown:
        raise PeopleUnknown(f'Nobody in the study "{study.slug}" is known as {", ".join(unknown)}.')
    return list(people.values())
