"""Coming into a study by its entry link. Ids of a platform prove nothing: whoever comes in is signed in."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils.translation import gettext as _

from batches.models import Session
from batches.services.recruiting import has_free_place
from studies.models import Participant, PlatformEntry, RecruitingLink, StudyStatus, User
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.limits import Limit, limit_take
from studies.services.people.participants import (
    NewPerson,
    asks_before_decision,
    normal_email,
    participants_add,
    require_real,
)
from studies.services.people.recruiting_links import PlatformIds, id_was_used, is_address
from studies.services.refusals import Refused
from studies.services.studies import study_lock

# Opening the link and sending an address each count once; a shared room may sign in as often.
ENTRIES = Limit("entries by client", 2 * settings.CODES_PER_MINUTE_PER_CLIENT, 60.0)


class EntryClosed(Refused):
    """The link lets nobody in."""


class IdsTaken(Refused):
    """Somebody else of the study came in with this id."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """What to take back to the platform: a code, or an address."""

    text: str

    @property
    def is_address(self) -> bool:
        return is_address(self.text)


def entry_take(*, client: str, now: datetime) -> bool:
    """Count one more request for an entry link by one network address, or say that it is one too many."""
    return limit_take(limit=ENTRIES, whom=client, now=now)


def require_entry_open(link: RecruitingLink, now: datetime) -> None:
    """Raise EntryClosed where nobody comes in by the link now, StudySimulated where nobody ever does."""
    study = link.study
    require_real(study)
    is_over = study.closes_at is not None and study.closes_at <= now
    if link.opened_at is None or study.status != StudyStatus.FROZEN or is_over:
        raise EntryClosed(_("This study takes nobody in at the moment."))
    if study.recruiting_paused_at is not None:
        raise EntryClosed(_("The study team has paused the study for now. Please come back later."))
    if link.profile not in {profile.slug for profile in study.protocol.profiles}:
        raise EntryClosed(_("This study takes nobody in at the moment."))
    if not has_free_place(study, link.profile):
        raise EntryClosed(_("All places of this study are taken. Thank you for your interest."))


def entry_account(*, email: str) -> User:
    """The account of an address, made where there is none: its owner proves it by signing in.

    Raises EmailInvalid.
    """
    address = normal_email(email)
    # Two requests of one moment make one account.
    return User.objects.get_or_create(email=address, defaults={"password": make_password(None)})[0]


@transaction.atomic
def person_enter(*, link: RecruitingLink, ids: PlatformIds, user: User, now: datetime) -> Participant:
    """Let somebody who is signed in into the study, and note the ids they brought.

    Whoever is in the study stays who they are (see `is_settled`). Raises IdsTaken, EntryClosed, OfTheTeam or
    StudyClosed.
    """
    study = study_lock(link.study)
    # Closed or paused since the page was asked for, it lets nobody in.
    link = RecruitingLink.objects.select_related("study").get(pk=link.pk)
    present = study.participants.filter(user=user).select_related("study", "user").first()
    if present is not None and is_settled(present, link):
        return present
    if id_was_used(study, ids.participant):
        raise IdsTaken(
            _("Somebody came in with this id already, under another address. Sign in with that address.")
        )
    if present is None:
        require_entry_open(link, now)
        person = NewPerson(user.email, link.profile, invited=asks_before_decision(study, link.profile))
        present = participants_add(study=study, people=[person], now=now, actor=user)[0]
    PlatformEntry.objects.create(
        participant=present,
        study=study,
        link=link,
        platform_participant=ids.participant,
        platform_study=ids.study,
        platform_session=ids.session,
        entered_at=now,
    )
    participant_event(present, StudyEventKind.ENTERED_BY_LINK, now, actor=user)
    return present


def is_settled(person: Participant, link: RecruitingLink) -> bool:
    """Whether the link changes nothing for the person: it is closed or of another profile, or they have ids
    already, began without any, or left. Ids noted then would earn them what nobody promised.
    """
    return (
        link.opened_at is None
        or link.profile != person.profile
        or PlatformEntry.objects.filter(participant=person).exists()
        or Session.objects.filter(participant=person).exists()
        or has_withdrawn(person)
    )


def way_back(participant: Participant, *, has_finished: bool) -> WayBack | None:
    """What somebody of a platform takes back there, once they have finished or may not take part."""
    entry = PlatformEntry.objects.filter(participant=participant).select_related("link").first()
    if entry is None:
        return None
    text = entry.link.completed if has_finished else entry.link.turned_down
    return WayBack(text) if text else None
