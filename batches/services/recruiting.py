"""Who gets the places of a design: approving as long as there are some, the reserve list, replacing.

Every decision that gives a place away holds the study's lock, so that no two give away the last one.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import Session
from batches.rules.statuses import SessionStatus
from batches.selectors.recruiting import holders_by_profile, place_holders, places_of
from studies.models import Participant, Study, User, VettingStatus
from studies.roles import Can
from studies.services.events import StudyEventKind, participant_event
from studies.services.people.participants import participant_approve, participant_lock, participant_reserve
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right
from studies.services.studies import study_lock


class NotReplaceable(Refused):
    """The person's place cannot be given to somebody else (now)."""


class NoPlace(Refused):
    """Every place of the profile is held by somebody."""


class NotOnReserve(Refused):
    """The person is not on the reserve list of the profile any more."""


@transaction.atomic
def person_approve(
    *,
    participant: Participant,
    now: datetime,
    actor: User | None = None,
    reason: str = "",
    site_url: str | None = None,
    seen: str | None = None,
) -> Participant:
    """Approve the person where their profile has a free place, and put them on the reserve list otherwise.

    Before the question sets are built nobody knows how many places there are: then everybody is approved.
    Test people need no place. Arguments and refusals are those of `participant_approve`.
    """
    study = study_lock(participant.study)
    has_place = participant.is_test or has_free_place(study, participant.profile)
    decide = participant_approve if has_place else participant_reserve
    return decide(participant=participant, now=now, actor=actor, reason=reason, site_url=site_url, seen=seen)


def has_free_place(study: Study, profile: str) -> bool:
    """Whether one more person of the profile can be approved."""
    places = places_of(study)
    return places is None or holders_by_profile(study)[profile] < places.get(profile, 0)


@transaction.atomic
def person_promote(
    *, participant: Participant, now: datetime, actor: User | None = None, site_url: str | None = None
) -> Participant:
    """Give a free place to somebody of the reserve list. Raises NotOnReserve, NoPlace or VettingRefused."""
    study = study_lock(participant.study)
    require_right(actor, study, Can.DECIDE_PEOPLE)
    _require_on_reserve(participant)
    if not has_free_place(study, participant.profile):
        raise NoPlace(
            _("All places of the profile of %(code)s are held, so %(code)s stays on the reserve list.")
            % {"code": participant.code}
        )
    return participant_approve(participant=participant, now=now, actor=actor, site_url=site_url)


@transaction.atomic
def person_replace(
    *,
    participant: Participant,
    successor: Participant,
    now: datetime,
    actor: User | None = None,
    site_url: str | None = None,
) -> Participant:
    """Give the place of somebody who is gone or does not count to somebody of the reserve list.

    What the person did stays as it is and counts as before; only their place is another's. Raises
    NotReplaceable, NotOnReserve, NoPlace or VettingRefused.
    """
    study = study_lock(participant.study)
    require_right(actor, study, Can.DECIDE_PEOPLE)
    participant = participant_lock(participant)
    _require_replaceable(participant, successor)
    _require_on_reserve(successor)
    participant.replaced_by = successor
    participant.save(update_fields=["replaced_by"])
    if not has_free_place(study, participant.profile):
        raise NoPlace(
            _("The place of %(code)s was given away already: all places of the profile are held.")
            % {"code": participant.code}
        )
    participant_event(participant, StudyEventKind.REPLACED, now, actor=actor, successor=successor.code)
    return participant_approve(participant=successor, now=now, actor=actor, site_url=site_url)


def _require_replaceable(participant: Participant, successor: Participant) -> None:
    if participant.replaced_by is not None:
        raise NotReplaceable(
            _("%(code)s was replaced already, by %(successor)s.")
            % {"code": participant.code, "successor": participant.replaced_by.code}
        )
    if (participant.study_id, participant.profile) != (successor.study_id, successor.profile):
        raise NotReplaceable(_("Only somebody of the same profile can take the place."))
    # Nothing more is to come of the person where their session is over, or they hold no place.
    over = Session.objects.filter(participant=participant).exclude(status=SessionStatus.ACTIVE)
    if not over.exists() and place_holders(participant.study).filter(pk=participant.pk).exists():
        raise NotReplaceable(
            _("%(code)s may still work or works now, so the place is not free.") % {"code": participant.code}
        )


def _require_on_reserve(participant: Participant) -> None:
    participant.refresh_from_db(fields=["vetting_status"])
    if participant.vetting_status != VettingStatus.RESERVE:
        raise NotOnReserve(
            _("%(code)s is not on the reserve list any more; nothing was changed.")
            % {"code": participant.code}
        )
