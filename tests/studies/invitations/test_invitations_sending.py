"""Invitations: mails that go out or do not, lists, files, and two clicks at once."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection, transaction
from pytest_django import Settings

from studies.models import Invitation, Participant, Study
from studies.selectors.invitations import InvitationState, invitation_counts, invitations_of
from studies.services.people.invitation_mails import invitation_send, invitations_queue
from studies.services.people.invitations import InvitationUsed, invitation_accept, invitation_revoke
from studies.services.people.participants import participant_add
from studies.services.people.people_import import (
    InvitationsRefused,
    PeopleReading,
    PersonRow,
    invitations_import,
)
from tests.studies.invitations.invitations import SITE, kinds, token_mailed

pytestmark = pytest.mark.django_db


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
        EmailBackend, "send_messages", lambda *_, **__: depths.append(len(connection.savepoint_ids))
    )
    invitation_send(invitation=invite(), site_url=SITE, now=now)
    assert depths == [outer]


def test_a_sending_that_fails_says_nothing_about_a_newer_one_that_went_out(
    invite: Callable[..., Invitation], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    invitation = invite()

    def fails_after_somebody_sent_it_again(*_: object, **__: object) -> None:
        monkeypatch.undo()
        invitation_send(invitation=invitation, site_url=SITE, now=now)
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", fails_after_somebody_sent_it_again)
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
    names = ["unsent", "queued", "sent", "expired", "accepted", "revoked"]
    rows = {name: invite(f"{name}@example.org") for name in names}
    token_mailed(rows["expired"], now - timedelta(days=8))
    token_mailed(rows["sent"], now)
    invitation_accept(token=token_mailed(rows["accepted"], now), now=now)
    invitation_revoke(invitation=rows["revoked"], now=now)
    invitations_queue(study=study, invitations=[rows["queued"]], site_url=SITE, now=now)
    listed = [(row.email.partition("@")[0], vars(row)["state"]) for row in invitations_of(study, now)]
    assert listed == [
        ("revoked", "revoked"), ("accepted", "accepted"), ("expired", "expired"), ("sent", "sent"),
        ("queued", "queued"), ("unsent", "not_sent"),
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
