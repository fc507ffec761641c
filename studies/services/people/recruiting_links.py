"""Entry links for people of a recruiting platform: what they take, and whether they let anybody in."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from formats.canonical import canonical_sha256
from presentation.numbers import numbered
from studies.models import Participant, PlatformEntry, RecruitingLink, Study, StudyStatus, User
from studies.models.recruiting import PLATFORM_ID_CHARACTERS
from studies.services.events import StudyEventKind, event_record
from studies.services.people.participants import require_profile, require_real
from studies.services.people.platforms import is_id, platform_of
from studies.services.refusals import Refused
from studies.services.studies import study_lock

PLATFORM_MARK = "platform_mark"  # among the details of the event of a deletion


class LinkRefused(Refused):
    """The link stays as it is: the study is not locked, or the link is what it was asked to be."""


class LinkChanged(Refused):
    """Somebody changed the link since whoever asks looked at it; nothing was changed now."""


class IdsInvalid(Refused):
    """The address does not carry the ids of a platform as the study asks for them."""


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """What a lead decides about a link; see `RecruitingLink`."""

    participant_parameter: str
    study_parameter: str = ""
    session_parameter: str = ""
    completed: str = ""
    turned_down: str = ""


@dataclass(frozen=True, slots=True)
class PlatformIds:
    """The ids by which a platform knows a person, its study and its session; blank where it sends none."""

    participant: str
    study: str = ""
    session: str = ""


def link_sha256(link: RecruitingLink | None) -> str:
    """What a link is recognised by, blank without one; a page hands it back with what was written."""
    return canonical_sha256({name: getattr(link, name) for name in LinkSettings.__slots__}) if link else ""


@transaction.atomic
def link_save(
    *,
    study: Study,
    profile: str,
    settings: LinkSettings,
    actor: User,
    now: datetime,
    seen: str | None = None,
) -> RecruitingLink:
    """Make the profile's link, closed, or change what it takes. `seen` is the `link_sha256` of the link that
    whoever asks knew of. Raises ProfileUnknown, LinkChanged.
    """
    study = study_lock(study)
    require_profile(study, profile)
    values = {name: getattr(settings, name) for name in LinkSettings.__slots__}
    link = study.recruiting_links.filter(profile=profile).first()
    if link and all(getattr(link, name) == value for name, value in values.items()):
        return link
    if seen is not None and seen != link_sha256(link):
        raise LinkChanged(
            _(
                "Somebody changed this link after you opened the page. Yours is not saved yet, and nothing "
                "is lost: compare the two and save again to keep what you wrote."
            )
        )
    link = link or RecruitingLink(study=study, profile=profile, token=secrets.token_urlsafe(16))
    for name, value in values.items():
        setattr(link, name, value)
    link.save()
    event_record(study, StudyEventKind.LINK_CHANGED, now, actor=actor, profile=profile, **values)
    return link


@transaction.atomic
def link_open(*, link: RecruitingLink, actor: User, now: datetime) -> RecruitingLink:
    """Let people come in by the link from now on. Raises LinkRefused or StudySimulated."""
    study = study_lock(link.study)
    require_real(study)
    if study.status != StudyStatus.FROZEN:
        raise LinkRefused(_("Only a locked study recruits people; lock it first, then open the link."))
    return _set(link, now, actor, StudyEventKind.LINK_OPENED, opened_at=now)


@transaction.atomic
def link_close(*, link: RecruitingLink, actor: User, now: datetime) -> RecruitingLink:
    """Let nobody come in by the link any more; whoever is in the study stays. Raises LinkRefused."""
    study_lock(link.study)
    return _set(link, now, actor, StudyEventKind.LINK_CLOSED, opened_at=None)


def _set(
    link: RecruitingLink, now: datetime, actor: User, kind: StudyEventKind, *, opened_at: datetime | None
) -> RecruitingLink:
    link.refresh_from_db(fields=["opened_at"])
    if (link.opened_at is None) == (opened_at is None):
        raise LinkRefused(_("The link is closed already.") if opened_at is None else _("The link is open."))
    link.opened_at = opened_at
    link.save(update_fields=["opened_at"])
    event_record(link.study, kind, now, actor=actor, profile=link.profile)
    return link


def ids_read(link: RecruitingLink, query: Mapping[str, Sequence[str]]) -> PlatformIds:
    """The ids that a query string carries: all values of each name. Raises IdsInvalid, which never repeats
    what was sent.
    """
    platform, ids = platform_of(link), []
    facts = {"most": PLATFORM_ID_CHARACTERS, "platform": platform.name if platform else ""}
    for name in link.parameters:
        texts, facts["name"] = query.get(name, ()) if name else [""], name
        if name and not any(texts):
            raise IdsInvalid(_("The link is not complete: %(name)s is missing.") % facts)
        if len(texts) > 1:
            raise IdsInvalid(_("The link is not right: %(name)s is in it more than once.") % facts)
        if len(texts[0]) > PLATFORM_ID_CHARACTERS:
            raise IdsInvalid(
                numbered(_("The link is not right: %(name)s has more than %(most)d characters."), facts)
            )
        if name and not is_id(link, name, texts[0]):
            wanted = (
                _("The link is not right: what it has as %(name)s is no id of %(platform)s.")
                if platform
                else _("The link is not right: what it has as %(name)s is no id of a platform.")
            )
            raise IdsInvalid(wanted % facts)
        ids.append(texts[0])
    return PlatformIds(*ids)


def id_mark(study: Study, platform_participant: str) -> str:
    """By what an id is known again once it is forgotten; without the site's key nobody computes it."""
    value = f"{study.pk} {platform_participant}"
    return salted_hmac("chiron.platform_ids", value, algorithm="sha256").hexdigest()


def entry_erase(participant: Participant) -> dict[str, Any]:
    """Forget by which ids a platform knows the person; call it inside the transaction of the deletion.

    Return what the event of the deletion keeps, so that nobody is paid twice by one id of the platform.
    """
    entry = PlatformEntry.objects.filter(participant=participant).first()
    if entry is None:
        return {}
    entry.delete()
    return {PLATFORM_MARK: id_mark(participant.study, entry.platform_participant)}


def id_was_used(study: Study, platform_participant: str) -> bool:
    """Whether somebody came into the study with this id, whether or not their data were deleted since."""
    marked = {f"details__{PLATFORM_MARK}": id_mark(study, platform_participant)}
    return (
        study.platform_entries.filter(platform_participant=platform_participant).exists()
        or study.events.filter(kind=StudyEventKind.DATA_DELETED, **marked).exists()
    )


def is_address(way_back: str) -> bool:
    """Whether a way back is an address to follow; otherwise it is a code to copy."""
    try:
        return way_back.startswith("https://") and bool(urlsplit(way_back).hostname)
    except ValueError:  # such as a bracket that is never closed
        return False
