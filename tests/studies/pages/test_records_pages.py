"""The records, as staff see them."""

import re
from datetime import datetime

import pytest
from django.test import Client

from studies.models import Participant, User

pytestmark = pytest.mark.django_db


def test_the_records_are_for_looking_only(client: Client, person: Participant) -> None:
    root = User.objects.create_superuser("root@example.org")
    client.force_login(root)
    index = client.get("/admin/").content.decode()
    assert "Chiron records" in index
    models = re.findall(r'href="(/admin/studies/\w+/)"', index)
    assert len(set(models)) >= 16
    for page in set(models):
        assert client.get(page).status_code == 200
        assert client.get(f"{page}add/").status_code == 403
    assert "/admin/account/" not in index
    assert "/admin/auth/" not in index


def test_a_record_can_be_read_but_neither_changed_nor_deleted(client: Client, person: Participant) -> None:
    client.force_login(User.objects.create_superuser("root@example.org"))
    page = f"/admin/studies/participant/{person.pk}/change/"
    assert client.get(page).status_code == 200
    assert client.post(page, {"profile": "other"}).status_code == 403
    assert client.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403
    person.refresh_from_db()
    assert person.profile == "stem-phd"


def test_what_people_say_about_themselves_stands_not_in_the_records(
    client: Client, person: Participant, now: datetime
) -> None:
    form = person.profile_forms.create(answers={"field": "Botany"}, submitted_at=now)
    attempt = person.check_tries.create(choices=["Botany"], correct=0, passed=False, attempted_at=now)
    message = person.messages.create(is_from_team=False, author=person.user, text="Botany", sent_at=now)
    client.force_login(User.objects.create_superuser("root@example.org"))
    for page in (
        f"profileform/{form.pk}",
        f"comprehensionattempt/{attempt.pk}",
        f"message/{message.pk}",
    ):
        answer = client.get(f"/admin/studies/{page}/change/")
        assert answer.status_code == 200
        assert b"Botany" not in answer.content


def test_no_password_stands_in_the_records(client: Client) -> None:
    root = User.objects.create_superuser("root@example.org", "a long password indeed")
    client.force_login(root)
    page = client.get(f"/admin/studies/user/{root.pk}/change/").content
    assert b"pbkdf2" not in page
    assert b"root@example.org" in page


def test_staff_without_rights_see_no_records(client: Client) -> None:
    client.force_login(User.objects.create_user("lead@example.org", is_staff=True))
    assert client.get("/admin/studies/participant/", follow=True).status_code == 403
