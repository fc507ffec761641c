"""Pages of what all studies share name one's own studies alone, and say how many more there are."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from formats.item_parameters import ItemParameter, ItemParameters
from studies.models import JudgeProtocol, Study, User
from studies.roles import Role
from studies.services.banks import item_bank_import
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

pytestmark = pytest.mark.django_db


@pytest.fixture
def maker(client: Client) -> User:
    user, _ = staff_add(email="maker@example.org", creates_studies=True)
    client.force_login(user)
    return user


def test_who_may_make_studies_is_told_no_name_of_a_study_without_a_role_in_it(
    client: Client, maker: User, make_study: Callable[..., Study], now: datetime
) -> None:
    parameters = ItemParameters(
        (ItemParameter("p001", a=1.0, b=0.0),), squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5
    )
    items = item_bank_import(slug="items", parameters=parameters, now=now)[0]
    study = make_study(slug="hidden", item_bank=items)
    texts = JudgeProtocol.objects.create(
        slug="texts", source="-", exact_text="-", rubric_text="-", sha256="0" * 64, imported_at=now
    )
    Study.objects.update(judge_protocol=texts)
    version = study.bank_version
    pages = [
        reverse("staff_banks"),
        reverse("staff_bank", args=[version.bank.slug, version.number]),
        reverse("staff_item_banks"),
        reverse("staff_judge_texts"),
    ]
    for page in pages:
        shown = " ".join(client.get(page).text.split())
        assert "1 study of others" in shown, page
        assert study.name not in shown
        assert "/staff/studies/hidden/" not in shown
    role_give(study=study, user=maker, role=Role.ANALYST, now=now)
    for page in pages:
        shown = client.get(page).text
        assert study.name in shown
        assert "of others" not in shown
