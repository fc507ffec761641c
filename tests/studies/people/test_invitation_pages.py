"""The pages of invitations: for whoever has the link, and for the study team."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from studies.models import Invitation, OutgoingMail, Participant, Study, User
from studies.services.mails.mails import mails_send
from studies.services.people.invitations import invitation_revoke
from studies.services.studies import study_close
from tests.access.forms_shown import forms_of

pytestmark = pytest.mark.django_db

LIST = "/staff/studies/pilot/invitations/"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


@pytest.fixture
def lead(study: Study) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("lead@example.org"))
    return client


@pytest.fixture
def link(lead: Client) -> str:
    lead.post(LIST, {"email": "ada@example.org", "profile": "stem-phd"})
    assert mail.outbox == [], "no page waits for a mail server"
    return link_mailed()


def link_mailed() -> str:
    mails_send(clock=timezone.now)
    found = re.search(r"http://testserver(/invitations/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def rows() -> str:
    return str(list(Invitation.objects.values()))


def test_nobody_is_invited_or_let_into_a_simulated_study(link: str, lead: Client, study: Study) -> None:
    Study.objects.update(is_simulated=True)
    said = "only simulated people take part in it."
    number = Invitation.objects.get().pk
    for reply in (
        lead.post(LIST, {"email": "bob@example.org", "profile": "stem-phd", "is_test": "on"}),
        lead.post(LIST + "list/", {"text": "bob@example.org, stem-phd"}),
        lead.post(f"{LIST}{number}/resend/", follow=True),
        Client().get(link),
        Client().post(link),
    ):
        assert said in reply.text
    assert (Invitation.objects.count(), Participant.objects.count()) == (1, 0)
    assert not OutgoingMail.objects.exists()
    for page in (LIST, "/staff/studies/pilot/participants/"):
        assert "/invitations/list/" not in lead.get(page).text
    Invitation.objects.all().delete()
    empty = lead.get("/staff/studies/pilot/participants/").text
    assert ("Nobody is invited yet" in empty, "/studies/pilot/rehearsal/" in empty) == (False, True)


def test_who_is_invited_again_keeps_name_and_language(lead: Client) -> None:
    fields = {"email": "ada@example.org", "profile": "stem-phd", "name": "Ada Doe", "language": "de"}
    lead.post(LIST, fields)
    first = Invitation.objects.get()
    invitation_revoke(invitation=first, now=timezone.now())
    forms = forms_of(lead.get(LIST).text, LIST)
    (again,) = (form for form in forms if form.values.get("name") == ["Ada Doe"])
    lead.post(again.path, again.values)
    second = Invitation.objects.exclude(pk=first.pk).get()
    assert (second.email, second.name, second.language) == ("ada@example.org", "Ada Doe", "de")


def test_from_the_mail_to_the_study(link: str) -> None:
    client = Client()
    shown = client.get(link)
    assert b"The study pilot" in shown.content
    accepted = client.post(link)
    assert (accepted.status_code, accepted["Location"]) == (302, "/accounts/login/?next=/studies/pilot/")
    asking = client.get(accepted["Location"])
    assert b'value="ada@example.org"' in asking.content
    asked = client.post(accepted["Location"], {"email": "ada@example.org", "next": "/studies/pilot/"})
    assert "ada@example.org" not in client.session.values(), "it fills in the form once"
    mails_send(clock=timezone.now)
    code = re.search(r"^([A-Z0-9-]{4,})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    entered = client.post(asked["Location"], {"code": code[1], "next": "/studies/pilot/"})
    assert entered["Location"] == "/studies/pilot/"
    assert Participant.objects.get().user == User.objects.get(pk=client.session["_auth_user_id"])


def test_opening_the_link_changes_nothing_however_often(link: str) -> None:
    before = rows()
    for method in ("get", "head", "get"):
        assert getattr(Client(), method)(link).status_code == 200
    assert rows() == before
    assert not User.objects.filter(email="ada@example.org").exists()


def test_a_mailed_link_begins_with_the_sites_address(study: Study, lead: Client, settings: Settings) -> None:
    settings.SITE_URL = "https://study.example.org"
    lead.post(LIST, {"email": "eve@example.org", "profile": "stem-phd"})
    mails_send(clock=timezone.now)
    assert "https://study.example.org/invitations/" in mail.outbox[-1].body
    assert "testserver" not in mail.outbox[-1].body


def test_the_page_of_a_link_shows_no_address_and_is_not_kept(link: str) -> None:
    shown = Client().get(link)
    assert b"ada@example.org" not in shown.content
    assert "no-store" in shown["Cache-Control"]


def test_without_a_csrf_token_nothing_is_accepted(link: str) -> None:
    assert Client(enforce_csrf_checks=True).post(link).status_code == 403
    assert not Participant.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_link_that_no_longer_works_says_why_and_how_to_go_on(study: Study, link: str, method: str) -> None:
    def said(path: str) -> tuple[int, str]:
        answer = getattr(Client(), method)(path)
        assert "ada@example.org" not in answer.text
        return answer.status_code, re.sub(r"\s+", " ", answer.text)

    status, text = said("/invitations/unknown/")
    assert (status, "only the link in the newest mail works" in text) == (404, True)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    status, text = said(link)
    assert (status, "has expired" in text, "Ask the people who invited you" in text) == (410, True, True)
    invitation_revoke(invitation=Invitation.objects.get(), now=timezone.now())
    status, text = said(link)
    assert (status, "has been revoked" in text) == (410, True)


def test_a_link_of_a_closed_study_lets_nobody_in(study: Study, link: str) -> None:
    study_close(study=study, now=timezone.now())
    answer = Client().post(link)
    assert (answer.status_code, b"takes nobody in any more" in answer.content) == (410, True)


def test_a_used_link_leads_to_signing_in(link: str) -> None:
    Client().post(link)
    again = Client().post(link)
    assert again.status_code == 410
    assert b"accepted already" in again.content
    assert b'href="/accounts/login/"' in again.content
    assert Participant.objects.count() == 1


def test_somebody_else_who_is_signed_in_signs_out_first(link: str) -> None:
    other = Client()
    other.force_login(User.objects.create_user("eve@example.org"))
    for answer in (other.get(link), other.post(link)):
        assert answer.status_code == 409
        assert b"Sign out first" in answer.content
        assert b"ada@example.org" not in answer.content
    assert not Participant.objects.exists()
    asked = f"/accounts/logout/?next={link}"
    assert f'href="{asked}"' in other.get(link).content.decode()
    assert f'name="next" value="{link}"' in other.get(asked).content.decode()
    assert other.post("/accounts/logout/", {"next": link})["Location"] == link


def test_the_same_person_signed_in_goes_straight_to_the_study(link: str) -> None:
    client = Client()
    client.force_login(User.objects.create_user("ada@example.org"))
    assert client.post(link)["Location"] == "/studies/pilot/"
    assert client.get(link)["Location"] == "/studies/pilot/"  # once more, by the same mail


def test_the_study_team_sees_what_was_sent_and_to_whom(lead: Client, link: str) -> None:
    shown = re.sub(r"\s+", " ", lead.get(LIST).text)
    assert "ada@example.org" in shown
    assert '<span class="badge info">sent</span>' in shown
    assert "Send again" in shown


def test_a_refused_invitation_says_why_and_keeps_what_was_typed(lead: Client, link: str) -> None:
    again = lead.post(LIST, {"email": "ada@example.org", "profile": "stem-phd"})
    assert again.status_code == 422
    assert b"has an invitation already; send it again instead." in again.content
    assert b'value="ada@example.org"' in again.content
    for fields in ({"email": "ada", "profile": "stem-phd"}, {"email": "a@example.org", "profile": "x"}, {}):
        assert lead.post(LIST, fields).status_code == 422
    assert (Invitation.objects.count(), len(mail.outbox)) == (1, 1)


def test_sending_again_and_revoking(lead: Client, link: str) -> None:
    number = Invitation.objects.get().pk
    lead.post(f"{LIST}{number}/resend/")
    assert Client().get(link).status_code == 404
    newer = link_mailed()
    assert Client().get(newer).status_code == 200
    lead.post(f"{LIST}{number}/revoke/")
    assert Client().get(newer).status_code == 410
    refused = lead.post(f"{LIST}{number}/revoke/", follow=True)
    assert b"has been revoked" in refused.content


def test_a_mail_server_that_is_down_is_said_and_the_invitation_is_kept(
    lead: Client, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = lead.post(LIST, {"email": "ada@example.org", "profile": "stem-phd"}, follow=True)
    assert "on its way" in page.text
    mails_send(clock=timezone.now)
    assert "on its way" in lead.get(LIST).text, "it is tried again"
    mails_send(clock=lambda: timezone.now() + timedelta(days=3))
    page = lead.get(LIST)
    assert "The mail server could not be reached or did not take the mail; send it again later." in page.text
    assert "not sent" in page.text
    assert Invitation.objects.get().sent_at is None


def test_participants_and_strangers_see_nothing_of_it(study: Study, link: str) -> None:
    number = Invitation.objects.get().pk
    person = Client()
    person.force_login(User.objects.create_user("eve@example.org"))
    assert person.get(LIST).status_code == 404
    assert person.post(f"{LIST}{number}/revoke/").status_code == 404
    assert Client().post(LIST, {"email": "x@example.org"})["Location"].startswith("/accounts/login/")
    assert Invitation.objects.get().revoked_at is None


def test_revoking_is_confirmed_and_the_row_offers_to_invite_again(study: Study, lead: Client) -> None:
    lead.post(LIST, {"email": "ada@example.org", "profile": "stem-phd", "is_test": "on"})
    number = Invitation.objects.get().pk
    page = lead.get(LIST).text
    assert page.index("The link in the mail stops working.") < page.index("Revoke the invitation")
    assert "Invite again" not in page
    lead.post(f"{LIST}{number}/revoke/")
    form = lead.get(LIST).text.split("Invite again")[0].rpartition("<form")[2]
    again = dict(re.findall(r'name="(email|profile|is_test)" value="([^"]*)"', form))
    lead.post(LIST, again)
    kept = Invitation.objects.get(revoked_at=None)
    assert (kept.email, kept.profile, kept.is_test) == ("ada@example.org", "stem-phd", True)
    study_close(study=study, now=timezone.now())
    closed = lead.get(LIST).text
    assert "Send again" not in closed
    assert "Invite again" not in closed
    assert "Revoke the invitation" in closed


def test_an_invitation_of_another_study_is_not_found(
    lead: Client, link: str, make_study: Callable[..., Study]
) -> None:
    make_study(slug="other")
    number = Invitation.objects.get().pk
    assert lead.post(f"/staff/studies/other/invitations/{number}/revoke/").status_code == 404


def test_a_long_list_comes_in_pages_with_the_same_number_of_queries(
    lead: Client, link: str, study: Study, django_assert_max_num_queries: Callable[..., object]
) -> None:
    first = Invitation.objects.get()
    Invitation.objects.bulk_create(
        Invitation(
            study=study, email=f"p{n}@example.org", profile="stem-phd", token_sha256=str(n),
            created_at=first.created_at, expires_at=first.expires_at, sent_at=first.sent_at,
        )
        for n in range(60)
    )  # fmt: skip
    with django_assert_max_num_queries(15):  # type: ignore[attr-defined]
        shown = lead.get(LIST)
    assert shown.text.count("<tr>") == 51
    assert "Page 1 of 2" in re.sub(r"\s+", " ", shown.text)
    assert "ada@example.org" in lead.get(f"{LIST}?page=2").text


def test_a_file_of_people_is_invited_and_run_again_sends_what_is_unsent(
    study: Study, lead: Client, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("email,profile,is_test\nada@example.org,stem-phd,\nbob@example.org,stem-phd,yes\n")
    command = ("invite_participants", "pilot", str(path))
    settings.SITE_URL = None
    with pytest.raises(CommandError, match="set CHIRON_SITE_URL"):
        call_command(*command)
    settings.SITE_URL = "https://study.example.org"
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(CommandError, match=r"Not sent: 2. Run the command again.\n  2 x The mail server"):
        call_command(*command)
    settings.EMAIL_BACKEND = backend
    call_command(*command, "--by", "lead@example.org")
    assert "Made 0 invitations, sent 2; 2 people were invited" in capsys.readouterr().out
    call_command(*command)
    assert [message.to[0] for message in mail.outbox] == ["ada@example.org", "bob@example.org"]
    assert "https://study.example.org/invitations/" in str(mail.outbox[0].body)
    assert list(Invitation.objects.order_by("id").values_list("is_test", flat=True)) == [False, True]


def test_a_file_with_a_problem_invites_nobody(study: Study, settings: Settings, tmp_path: Path) -> None:
    settings.SITE_URL = "https://study.example.org"
    path = tmp_path / "people.csv"
    path.write_text("email,profile\nada@example.org,stem-phd\nbob,astronaut\n")
    with pytest.raises(CommandError, match=r"(?s)Nobody was invited; problems found: 2.*line 3, email"):
        call_command("invite_participants", "pilot", str(path))
    assert not Invitation.objects.exists()
    assert mail.outbox == []
