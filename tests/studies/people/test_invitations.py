"""Invitations: made once, mailed with a link only its reader knows, used once."""

import re
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.db import connection, transaction
from pytest_django import Settings

from studies.models import Invitation, Participant, Study, StudyEvent, User
from studies.selectors.invitations import InvitationState, invitation_counts, invitations_of
from studies.services.people.invitation_import import InvitationsRefused, invitations_import
from studies.services.people.invitation_mails import invitation_send
from studies.services.people.invitations import (
    AlreadyInvited,
    InvitationExpired,
    InvitationRevoked,
    InvitationUnknown,
    InvitationUsed,
    invitation_accept,
    invitation_create,
    invitation_revoke,
)
from studies.services.people.participants import (
    AlreadyTakesPart,
    EmailInvalid,
    ProfileUnknown,
    StudyClosed,
    participant_add,
)
from studies.services.people.people_import import PeopleReading, PersonRow
from studies.services.refusals import Refused
from studies.services.studies import study_close

pytestmark = pytest.mark.django_db

SITE = "https://study.example.org"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot", invitation_days=7)


@pytest.fixture
def invite(study: Study, now: datetime) -> Callable[..., Invitation]:
    def make(email: str = "ada@example.org", **fields: object) -> Invitation:
        values = {"study": study, "email": email, "profile": "stem-phd", "now": now, **fields}
        return invitation_create(**values)  # type: ignore[arg-type]

    return make


def token_mailed(invitation: Invitation, now: datetime) -> str:
    invitation_send(invitation=invitation, site_url=SITE, now=now)
    found = re.search(rf"^{SITE}/invitations/([\w-]{{43}})/$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    return found[1]


def kinds(study: Study) -> list[str]:
    return list(StudyEvent.objects.filter(study=study).order_by("id").values_list("kind", flat=True))


def test_the_mail_names_study_person_validity_and_link_and_nothing_else(
    invite: Callable[..., Invitation], now: datetime
) -> None:
    token = token_mailed(invite("Ada@Example.org"), now)
    message = mail.outbox[0]
    assert message.to == ["ada@example.org"]
    assert message.subject == "Invitation: The study pilot"
    assert message.body == (
        'You are invited to take part in "The study pilot".\n\n'
        "This invitation is for ada@example.org (STEM PhD) and for nobody else.\n"
        "It is valid for 7 days and can be used once:\n\n"
        f"{SITE}/invitations/{token}/\n"
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


def test_a_mail_that_does_not_go_out_is_stored_with_its_reason(
    study: Study, invite: Callable[..., Invitation], now: datetime, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    invitation_send(invitation=invite(), site_url=SITE, now=now)
    invitation = Invitation.objects.get()
    assert invitation.sent_at is None
    assert invitation.send_problem.startswith("The mail server could not be reached")
    assert "invitation_sent" not in kinds(study)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    invitation_send(invitation=invitation, site_url=SITE, now=now)
    assert Invitation.objects.filter(sent_at=now, send_problem="").exists()


def test_no_transaction_is_open_while_the_mail_is_sent(
    invite: Callable[..., Invitation], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = len(connection.savepoint_ids)
    depths = []
    monkeypatch.setattr(
        "studies.services.people.invitation_mails.send_mail",
        lambda *_: depths.append(len(connection.savepoint_ids)),
    )
    invitation_send(invitation=invite(), site_url=SITE, now=now)
    assert depths == [outer]


def test_a_sending_that_fails_says_nothing_about_a_newer_one_that_went_out(
    invite: Callable[..., Invitation], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    invitation = invite()

    def fails_after_somebody_sent_it_again(*_: object) -> None:
        monkeypatch.undo()
        invitation_send(invitation=invitation, site_url=SITE, now=now)
        raise ConnectionRefusedError

    monkeypatch.setattr(
        "studies.services.people.invitation_mails.send_mail", fails_after_somebody_sent_it_again
    )
    assert invitation_send(invitation=invitation, site_url=SITE, now=now).send_problem
    assert Invitation.objects.filter(sent_at=now, send_problem="").exists()


def test_a_study_name_cannot_add_headers(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    Study.objects.filter(pk=study.pk).update(name="One\nBcc: eve@example.org")
    token_mailed(invite(), now)
    assert mail.outbox[0].subject == "Invitation: One Bcc: eve@example.org"


def test_invitations_are_listed_newest_first_with_their_state(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    names = ["unsent", "sent", "expired", "accepted", "revoked"]
    rows = {name: invite(f"{name}@example.org") for name in names}
    token_mailed(rows["expired"], now - timedelta(days=8))
    token_mailed(rows["sent"], now)
    invitation_accept(token=token_mailed(rows["accepted"], now), now=now)
    invitation_revoke(invitation=rows["revoked"], now=now)
    listed = [(row.email.partition("@")[0], vars(row)["state"]) for row in invitations_of(study, now)]
    assert listed == [
        ("revoked", "revoked"), ("accepted", "accepted"), ("expired", "expired"), ("sent", "sent"),
        ("unsent", "not_sent"),
    ]  # fmt: skip
    assert invitation_counts(study, now) == dict.fromkeys(InvitationState, 1)


def test_a_file_invites_everybody_or_nobody(
    study: Study, invite: Callable[..., Invitation], now: datetime
) -> None:
    invite("known@example.org")
    participant_add(study=study, email="inside@example.org", profile="stem-phd", now=now)
    rows = [
        PersonRow(line=2, email="known@example.org", profile="stem-phd"),
        PersonRow(line=3, email="inside@example.org", profile="stem-phd"),
        PersonRow(line=4, email="New@example.org", profile="stem-phd", is_test=True),
    ]
    bad = [*rows, PersonRow(line=5, email="new@example.org", profile="astronaut", status="approved")]
    with pytest.raises(InvitationsRefused) as refused:
        invitations_import(study=study, reading=PeopleReading(tuple(bad), ()), now=now)
    assert str(refused.value).splitlines()[0] == "Nobody was invited; problems found: 3"
    assert Invitation.objects.count() == 1
    result = invitations_import(study=study, reading=PeopleReading(tuple(rows), ()), now=now)
    assert (result.made, result.unchanged) == (1, 2)
    assert [one.email for one in result.to_send] == ["known@example.org", "new@example.org"]
    assert mail.outbox == []


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_the_same_moment_accept_once(invite: Callable[..., Invitation], now: datetime) -> None:
    token = token_mailed(invite(), now)
    barrier, outcomes = threading.Barrier(2), []

    def click() -> None:
        barrier.wait()
        try:
            with transaction.atomic():
                outcomes.append(str(invitation_accept(token=token, now=now).pk))
        except InvitationUsed:
            outcomes.append("used")
        finally:
            connection.close()

    threads = [threading.Thread(target=click) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [str(Participant.objects.get().pk), "used"]
