"""An administrator resets somebody's second factor: for a reason, told to them, and never one's own."""

from datetime import UTC, datetime

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from studies.models import OutgoingMail, SiteEvent, User
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db


def test_a_reset_takes_every_factor_ends_every_session_tells_them_and_is_kept(
    staff: Client, lead: User
) -> None:
    member, _ = staff_add(email="member@example.org")
    Authenticator.objects.create(user=member, type=Authenticator.Type.TOTP, data={"secret": "x"})
    Authenticator.objects.create(user=member, type=Authenticator.Type.RECOVERY_CODES, data={})
    theirs = Client()
    theirs.force_login(member)
    assert theirs.get("/staff/").status_code == 200
    address = f"/staff/team/{member.pk}/second-factor/"
    assert address in staff.get("/staff/team/").content.decode()
    assert "Speak to them first" in staff.get(address).content.decode()
    for wrong in ("  ", "Lost\0", "x" * 100_000):
        refused = staff.post(address, {"reason": wrong})
        assert (refused.status_code, Authenticator.objects.count()) == (422, 2)
        assert 'aria-invalid="true"' in refused.content.decode()
    staff.post(address, {"reason": "Lost the phone; called back on the number we have."})
    assert not Authenticator.objects.exists()
    assert theirs.get("/staff/").status_code == 302
    event = SiteEvent.objects.get()
    assert (event.kind, event.about, event.actor) == ("second_factor_reset", "member@example.org", lead)
    assert event.reason == "Lost the phone; called back on the number we have."
    mail = OutgoingMail.objects.get()
    assert (mail.to, mail.subject) == ("member@example.org", "Your second factor was reset")
    assert "called back" not in mail.body
    assert "Lost the phone" in staff.get("/staff/history/").content.decode()
    assert event.happened_at <= datetime.now(UTC)


def test_nobody_resets_their_own_and_only_administrators_any(staff: Client, lead: User) -> None:
    Authenticator.objects.create(user=lead, type=Authenticator.Type.TOTP, data={"secret": "x"})
    reply = staff.post(f"/staff/team/{lead.pk}/second-factor/", {"reason": "I lost it"})
    assert (reply.status_code, Authenticator.objects.count()) == (422, 1)
    maker, _ = staff_add(email="maker@example.org", creates_studies=True)
    client = Client()
    client.force_login(maker)
    assert client.post(f"/staff/team/{lead.pk}/second-factor/", {"reason": "x"}).status_code == 403
    assert not SiteEvent.objects.exists()
