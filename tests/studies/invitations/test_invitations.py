"""Invitations: made once, mailed with a link only its reader knows, used once."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail

from studies.models import Invitation, OutgoingMail, Participant, Study, StudyEvent, User
from studies.selectors.told import told_text
from studies.services.events import StudyEventKind
from studies.services.people.invitation_mails import invitation_send, invitations_queue
from studies.services.people.invitations import (
    AlreadyInvited,
    InvitationExpired,
    InvitationRevoked,
    InvitationUnknown,
    InvitationUsed,
    invitation_accept,
    invitation_erase,
    invitation_revoke,
)
from studies.services.people.participants import (
    AlreadyTakesPart,
    EmailInvalid,
    ProfileUnknown,
    StudyClosed,
    participant_add,
)
from studies.services.refusals import Refused
from studies.services.studies import study_close
from tests.studies.invitations.invitations import SITE, kinds, token_mailed

pytestmark = pytest.mark.django_db


def test_the_mail_names_study_person_validity_link_and_what_to_know_first_and_nothing_else(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    token = token_mailed(invite("Ada@Example.org"), now)
    message = mail.outbox[0]
    assert message.to == ["ada@example.org"]
    assert message.subject == "Invitation: The study pilot"
    assert message.body == (
        'You are invited to take part in "The study pilot".\n\n'
        "This invitation is for ada@example.org (STEM PhD) and for nobody else.\n"
        "It is valid for 7 days and can be used once:\n\n"
        f"{SITE}/invitations/{token}/\n\n"
        f"What you should know first:\n\n{told_text(study)}\n"
    )


def test_only_a_hash_of_the_link_is_stored(invite: Callable[..., Invitation], now: datetime) -> None:
    invitation = invite()
    token = token_mailed(invitation, now)
    row = Invitation.objects.filter(pk=invitation.pk).values().get()
    assert token not in str(row)
    assert (row["sent_at"], row["expires_at"]) == (now, now + timedelta(days=7))


def test_accepting_makes_account_and_participant(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    participant = invitation_accept(token=token_mailed(invite(is_test=True), now), now=now)
    assert participant.user.email == "ada@example.org"
    assert not participant.user.has_usable_password()
    assert (participant.vetting_status, participant.profile, participant.is_test) == (
        "invited", "stem-phd", True,
    )  # fmt: skip
    invitation = Invitation.objects.get()
    assert (invitation.accepted_at, invitation.participant) == (now, participant)
    assert kinds(study)[-4:] == [
        "invitation_created", "invitation_sent", "participant_added", "invitation_accepted",
    ]  # fmt: skip
    trail = StudyEvent.objects.filter(study=study).values_list("details", flat=True)
    assert "@" not in str(list(trail))


def test_where_nothing_is_asked_accepting_goes_straight_to_the_decision(
    make_study: Callable[..., Study], invite: Callable[..., Invitation], now: datetime
) -> None:
    plain = make_study(profile_questions=(), credential_file="optional")
    assert (
        invitation_accept(token=token_mailed(invite(study=plain), now), now=now).vetting_status == "submitted"
    )
    with_file = make_study(profile_questions=(), credential_file="required")
    token = token_mailed(invite(study=with_file), now)
    assert invitation_accept(token=token, now=now).vetting_status == "invited"


def test_an_existing_account_is_used(invite: Callable[..., Invitation], now: datetime) -> None:
    known = User.objects.create_user("ada@example.org")
    assert invitation_accept(token=token_mailed(invite(), now), now=now).user == known


def test_somebody_the_team_added_meanwhile_keeps_their_place(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    token = token_mailed(invite(), now)
    added = participant_add(study=study, email="ada@example.org", profile="stem-undergraduate", now=now)
    accepted = invitation_accept(token=token, now=now)
    assert (accepted, accepted.vetting_status, accepted.profile) == (added, "submitted", "stem-undergraduate")


def test_a_link_works_once(invite: Callable[..., Invitation], now: datetime) -> None:
    token = token_mailed(invite(), now)
    invitation_accept(token=token, now=now)
    with pytest.raises(InvitationUsed):
        invitation_accept(token=token, now=now)
    assert Participant.objects.count() == 1


def test_sending_again_makes_a_new_link_with_new_time_and_ends_the_old_one(
    invite: Callable[..., Invitation], now: datetime
) -> None:
    invitation = invite()
    old = token_mailed(invitation, now)
    later = now + timedelta(days=30)
    new = token_mailed(invitation, later)
    with pytest.raises(InvitationUnknown):
        invitation_accept(token=old, now=later)
    assert invitation_accept(token=new, now=later + timedelta(days=6)).user.email == "ada@example.org"


def test_a_link_expires_on_its_day(invite: Callable[..., Invitation], now: datetime) -> None:
    token = token_mailed(invite(), now)
    with pytest.raises(InvitationExpired):
        invitation_accept(token=token, now=now + timedelta(days=7))
    assert not User.objects.exists()


def test_a_revoked_link_lets_nobody_in_and_the_address_can_be_invited_anew(
    invite: Callable[..., Invitation], now: datetime
) -> None:
    invitation = invite()
    token = token_mailed(invitation, now)
    invitation_revoke(invitation=invitation, now=now)
    with pytest.raises(InvitationRevoked):
        invitation_accept(token=token, now=now)
    with pytest.raises(InvitationRevoked):
        invitation_send(invitation=invitation, site_url=SITE, now=now)
    assert invite().pk != invitation.pk


def test_an_accepted_invitation_is_neither_revoked_nor_sent_again(
    invite: Callable[..., Invitation], now: datetime
) -> None:
    invitation = invite()
    invitation_accept(token=token_mailed(invitation, now), now=now)
    with pytest.raises(InvitationUsed):
        invitation_revoke(invitation=invitation, now=now)
    with pytest.raises(InvitationUsed):
        invitation_send(invitation=invitation, site_url=SITE, now=now)
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("token", ["", "guess", "x" * 5000, "\udc80", "ä\x00"])
def test_a_guessed_link_lets_nobody_in(invite: Callable[..., Invitation], now: datetime, token: str) -> None:
    token_mailed(invite(), now)
    with pytest.raises(InvitationUnknown):
        invitation_accept(token=token, now=now)


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"email": "ada"}, EmailInvalid),
        ({"profile": "astronaut"}, ProfileUnknown),
        ({"email": " INVITED@example.org"}, AlreadyInvited),
        ({"email": "inside@example.org"}, AlreadyTakesPart),
    ],
)
def test_who_cannot_be_invited_is_refused(
    study: Study,
    invite: Callable[..., Invitation],
    now: datetime,
    fields: dict[str, str],
    refusal: type[Refused],
) -> None:
    invite("invited@example.org")
    participant_add(study=study, email="inside@example.org", profile="stem-phd", now=now)
    with pytest.raises(refusal):
        invite(**fields)
    assert Invitation.objects.count() == 1


def test_a_closed_study_invites_and_takes_in_nobody(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    invitation = invite()
    token = token_mailed(invitation, now)
    study_close(study=study, now=now)
    with pytest.raises(StudyClosed):
        invite("eve@example.org")
    with pytest.raises(StudyClosed):
        invitation_send(invitation=invitation, site_url=SITE, now=now)
    with pytest.raises(StudyClosed):
        invitation_accept(token=token, now=now)


def test_whoever_never_accepted_is_forgotten_in_every_invitation_and_their_mail_is_not_sent(
    invite: Callable[..., Invitation], now: datetime
) -> None:
    earlier = invite("gone@example.org", name="G")
    invitation_revoke(invitation=earlier, now=now)
    newest, other = invite("gone@example.org", name="G"), invite("other@example.org")
    invitations_queue(study=newest.study, invitations=[newest], site_url=SITE, now=now)
    invitation_erase(invitation=newest, now=now)
    kept = list(Invitation.objects.order_by("pk").values_list("email", "name", "revoked_at"))
    assert kept == [("", "", now), ("", "", now), (other.email, other.name, None)]
    assert not OutgoingMail.objects.exists()
    told = StudyEvent.objects.filter(kind=StudyEventKind.INVITATION_ERASED)
    assert [event.details for event in told] == [{"invitation": earlier.pk}, {"invitation": newest.pk}]
    with pytest.raises(InvitationRevoked):
        invitation_erase(invitation=Invitation.objects.get(pk=newest.pk), now=now)


def test_who_accepted_is_not_forgotten_so(invite: Callable[..., Invitation], now: datetime) -> None:
    invitation = invite("here@example.org")
    invitation_accept(token=token_mailed(invitation, now), now=now)
    with pytest.raises(InvitationUsed):
        invitation_erase(invitation=invitation, now=now)
    assert Invitation.objects.get(pk=invitation.pk).email == "here@example.org"
