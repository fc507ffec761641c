"""Giving a place to somebody else, once it is known who does not count."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.services.recruiting import NotReplaceable, person_replace
from console.selectors.people import PersonState, state_of
from studies.models import Participant, User

REPLACEABLE = frozenset({PersonState.NOT_COUNTED, PersonState.WITHDRAWN, PersonState.REJECTED})


@transaction.atomic
def place_pass_on(
    *,
    participant: Participant,
    successor: Participant,
    now: datetime,
    actor: User | None = None,
    site_url: str | None = None,
) -> Participant:
    """Give the place of somebody who withdrew, was rejected or does not count to one of the reserve list.

    Raises as `person_replace`, and NotReplaceable for everybody who counts or may still count.
    """
    if state_of(participant, now) not in REPLACEABLE:
        raise NotReplaceable(
            _("%(code)s counts or may still count, so the place is not free.") % {"code": participant.code}
        )
    return person_replace(
        participant=participant, successor=successor, now=now, actor=actor, site_url=site_url
    )
