"""The demo's front page signs in with one click; anywhere else there is no such address."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.contrib.auth import get_user
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from formats.item_parameters import ItemParameter, ItemParameters
from operations.services.demo_models import NoItemBank, simulated_models_import
from operations.services.demo_people import OPEN_STUDY, PEOPLE, STUDY, VISITOR, demo_staff_add
from scoring.models import ModelConfiguration, ModelScore
from studies.models import Study, User
from studies.services.banks import item_bank_import
from studies.services.people.participants import participant_add
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db
ADDRESS = "/demo/sign-in/"


@pytest.fixture
def demo(make_study: Callable[..., Study], settings: Settings, now: datetime) -> Study:
    settings.DEMO_SIGN_IN = True
    study, open_study = make_study(slug=STUDY), make_study(slug=OPEN_STUDY)
    lead = staff_add(email=PEOPLE["lead"].email, superuser=True)[0]
    demo_staff_add(study=study, actor=lead, now=now)
    participant_add(study=open_study, email=VISITOR, profile="stem-phd", now=now)
    return study


def test_one_click_signs_in_and_leads_to_where_they_begin(demo: Study, client: Client) -> None:
    front = client.get("/").content.decode()
    for name, person in PEOPLE.items():
        assert f'value="{name}"' in front
        answer = client.post(ADDRESS, {"as": name})
        assert answer["Location"] == reverse(person.page, args=[person.study])
        assert client.get(answer["Location"]).status_code in {200, 302}, name
        user = get_user(client)
        assert isinstance(user, User)
        assert user.email == person.email
        client.logout()


def test_nobody_else_is_signed_in(demo: Study, client: Client) -> None:
    for name in ("", "root", "lead@example.org"):
        assert client.post(ADDRESS, {"as": name}).status_code == 404
    assert client.get(ADDRESS).status_code == 405
    User.objects.filter(email=PEOPLE["lead"].email).update(is_active=False)
    assert client.post(ADDRESS, {"as": "lead"}).status_code == 404
    assert not get_user(client).is_authenticated


def test_where_it_is_no_demo_there_is_no_such_address(
    demo: Study, client: Client, settings: Settings
) -> None:
    settings.DEMO_SIGN_IN = False
    assert client.post(ADDRESS, {"as": "lead"}).status_code == 404
    assert "demo" not in client.get("/").content.decode().lower()
    assert not get_user(client).is_authenticated


def test_the_models_are_simulated_and_the_same_in_every_demo(
    make_study: Callable[..., Study], now: datetime
) -> None:
    items = tuple(ItemParameter(f"p{n:03d}", 1.0, 0.5 * n - 1) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank = item_bank_import(slug="items", parameters=parameters, now=now)[0]
    study = make_study(slug=STUDY, item_bank=bank)

    done = simulated_models_import(study=study, abilities=[-1.0, 2.0], now=now)

    assert (done.created, done.scores) == (("model-01", "model-02"), 2 * 4 * 5)
    assert {one.source[:9] for one in ModelConfiguration.objects.all()} == {"SIMULATED"}
    assert set(ModelScore.objects.values_list("score", flat=True)) <= {0.0, 1.0}
    assert simulated_models_import(study=study, abilities=[-1.0, 2.0], now=now).unchanged == done.created
    with pytest.raises(NoItemBank):
        simulated_models_import(study=make_study(), abilities=[0.0], now=now)
