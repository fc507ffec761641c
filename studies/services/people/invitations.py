"""Personal ways into a study: making, revoking and accepting invitations."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Invitation, Participant, Study, StudyEvent, StudyStatus, User
from studies.selectors.invitations import token_sha256
from studies.services.database import rows_insert
from studies.services.events import StudyEventKind, event_record, participant_event
from studies.services.mails.mails import invitation_mails_cancel
from studies.services.people.participants import (
    AlreadyTakesPart,
    NewPerson,
    StudyClosed,
    asks_before_decision,
    normal_email,
    participants_add,
    require_outside_team,
    require_profile,
    require_real,
)
from studies.services.refusals import Refused
from studies.services.studies import study_lock

ROWS_PER_INSERT = 500


class AlreadyInvited(Refused):
    """The address has an invitation that was not revoked."""


class InvitationUnusable(Refused):
    """The link does not let anybody in; the subclasses say why."""


class InvitationUnknown(InvitationUnusable):
    """No invitation has this link, or none any more."""


class InvitationUsed(InvitationUnusable):
    """The invitation was accepted before."""


class InvitationRevoked(InvitationUnusable):
    """The study team took the invitation back."""


class InvitationPaused(InvitationUnusable):
    """The study team lets nobody in for the moment; the link stays good."""


class InvitationExpired(InvitationUnusable):
    """The link was not used in time."""


def token_new() -> str:
    """What the link of an invitation is made of; nobody can guess it."""
    return secrets.token_urlsafe(32)


@transaction.atomic
def invitation_create(
    *,
    study: Study,
    email: str,
    profile: str,
    now: datetime,
    is_test: bool = False,
    language: str = "",
    name: str = "",
    actor: User | None = None,
) -> Invitation:
    """An invitation that is not sent yet.

    Raises StudyClosed, EmailInvalid, ProfileUnknown, AlreadyTakesPart, OfTheTeam or AlreadyInvited.
    """
    study = study_lock(study)
    require_inviting(study)
    address = normal_email(email)
    require_profile(study, profile)
    if study.participants.filter(user__email=address).exists():
        raise AlreadyTakesPart(_("%(email)s is in this study already.") % {"email": address})
    if not is_test:
        require_outside_team(study, address)
    if study.invitations.filter(email=address, revoked_at=None).exists():
        message = _("%(email)s has an invitation already; send it again instead.")
        raise AlreadyInvited(message % {"email": address})
    invitation = Invitation.objects.create(
        study=study,
        email=address,
        profile=profile,
        is_test=is_test,
        language=language,
        name=name,
        token_sha256=token_sha256(token_new()),
        created_at=now,
        created_by=actor,
        expires_at=expiry(study, now),
    )
    event_record(study, StudyEventKind.INVITED, now, actor=actor, invitation=invitation.pk)
    return invitation


class Invitable(Protocol):
    """Somebody of a list who was found to be new and invitable."""

    @property
    def email(self) -> str: ...
    @property
    def profile(self) -> str: ...
    @property
    def is_test(self) -> bool: ...
    @property
    def language(self) -> str: ...
    @property
    def name(self) -> str: ...


def invitations_create(
    *, study: Study, people: Sequence[Invitable], now: datetime, actor: User | None = None
) -> list[Invitation]:
    """Invitations of checked people, not sent yet, in few queries; call it under the study's lock."""
    expires_at = expiry(study, now)
    made = Invitation.objects.bulk_create(
        (
            Invitation(
                study=study,
                email=normal_email(one.email),
                profile=one.profile,
                is_test=one.is_test,
                language=one.language,
                name=one.name,
                token_sha256=token_sha256(token_new()),
                created_at=now,
                created_by=actor,
                expires_at=expires_at,
            )
            for one in people
        ),
        batch_size=ROWS_PER_INSERT,
    )
    own = {"study": study, "kind": StudyEventKind.INVITED, "actor": actor, "happened_at": now}
    rows_insert(StudyEvent, (StudyEvent(**own, details={"invitation": one.pk}) for one in made))()
    return made


def require_inviting(study: Study) -> None:
    """Raise StudyClosed where nobody is let in any more, StudySimulated where nobody ever is."""
    require_real(study)
    if study.status == StudyStatus.CLOSED:
        raise StudyClosed(_("This study is closed; nobody can be invited to it any more."))


def expiry(study: Study, now: datetime) -> datetime:
    """Until when a link that is sent now can be used."""
    return now + timedelta(days=study.protocol.invitation_days)


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, now: datetime, actor: User | None = None) -> Invitation:
    """Make the link useless. Raises InvitationUsed or InvitationRevoked where it is already."""
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    require_unused(invitation)
    invitation.revoked_at = now
    invitation.save(update_fields=["revoked_at"])
    invitation_mails_cancel([invitation.pk], now)
    kind = StudyEventKind.INVITATION_REVOKED
    event_record(invitation.study, kind, now, actor=actor, invitation=invitation.pk)
    return invitation


@transaction.atomic
def invitation_erase(*, invitation: Invitation, now: datetime, actor: User | None = None) -> None:
    """Forget the address and name of somebody who never accepted, in every invitation to this study that
    they did not accept; their links are useless from now on. Raises InvitationUsed, or InvitationRevoked
    where they are forgotten already.
    """
    if not invitation.email:
        require_unused(invitation)
    same = Invitation.objects.filter(study=invitation.study_id, email=invitation.email)
    for of_same in same.select_for_update().order_by("pk"):
        if of_same.accepted_at is not None:
            if of_same.pk == invitation.pk:
                require_unused(of_same)
            continue
        if of_same.revoked_at is None:
            invitation_revoke(invitation=of_same, now=now, actor=actor)
        Invitation.objects.filter(pk=of_same.pk).update(email="", name="")
        kind = StudyEventKind.INVITATION_ERASED
        event_record(invitation.study, kind, now, actor=actor, invitation=of_same.pk)


def require_unused(invitation: Invitation) -> None:
    """Raise InvitationUsed or InvitationRevoked."""
    if invitation.accepted_at is not None:
        raise InvitationUsed(_("This invitation has been accepted already."))
    if invitation.revoked_at is not None:
        raise InvitationRevoked(_("This invitation has been revoked."))


def invitation_of(*, token: str, now: datetime) -> Invitation:
    """The invitation the link belongs to, if it can be accepted. Raises InvitationUnusable or StudyClosed."""
    invitation = Invitation.objects.filter(token_sha256=token_sha256(token)).select_related("study").first()
    return _require_open(invitation, now)


@transaction.atomic
def invitation_accept(*, token: str, now: datetime) -> Participant:
    """Let the person the link was sent to into the study, with an account if there is none.

    Raises InvitationUnusable, StudyClosed, OfTheTeam or ProfileUnknown (the profile was dropped since).
    """
    locked = Invitation.objects.select_for_update(of=("self",)).filter(token_sha256=token_sha256(token))
    invitation = _require_open(locked.select_related("study").first(), now)
    study = study_lock(invitation.study)
    # The study team may have added them since the invitation was sent.
    present = study.participants.filter(user__email=invitation.email)
    participant = present.select_related("study", "user").first()
    if participant is None:
        has_form = asks_before_decision(study, invitation.profile)
        person = NewPerson(invitation.email, invitation.profile, is_test=invitation.is_test, invited=has_form)
        participant = participants_add(study=study, people=[person], now=now)[0]
    invitation.participant, invitation.accepted_at = participant, now
    invitation.save(update_fields=["participant", "accepted_at"])
    kind = StudyEventKind.INVITATION_ACCEPTED
    participant_event(participant, kind, now, actor=participant.user, invitation=invitation.pk)
    return participant


def _require_open(invitation: Invitation | None, now: datetime) -> Invitation:
    if invitation is None:
        raise InvitationUnknown(_("This link belongs to no invitation."))
    require_unused(invitation)
    if not invitation.is_open(now):
        raise InvitationExpired(_("This invitation was not used in time and has expired."))
    require_real(invitation.study)
    if invitation.study.status == StudyStatus.CLOSED:
        raise StudyClosed(_("This study is closed; it takes nobody in any more."))
    if invitation.study.recruiting_paused_at is not None:
        raise InvitationPaused(
            _("The study team has paused the study for now. Keep this link and come back later.")
        )
    return invitation
