"""Lists of the team's pages sort by GET, and give the same rows as CSV."""

import csv
from collections.abc import Callable
from datetime import datetime
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse

from studies.models import Study, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def site_staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("admin@example.org"))
    return client


@pytest.fixture
def three_banks(make_study: Callable[..., Study], now: datetime) -> None:
    for size, slug in ((4, "b"), (9, "c"), (2, "a")):
        make_study(prompts=size, batch_size=2, slug=slug)


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(client.get(address).content.decode())))


@pytest.mark.usefixtures("three_banks")
def test_banks_are_sorted_by_any_column_both_ways_and_so_is_the_file(site_staff: Client) -> None:
    address = reverse("staff_banks")
    up, down = (site_staff.get(address, {"sort": sort}) for sort in ("questions", "-questions"))
    assert [version.size for version, _studies in up.context["rows"]] == [2, 4, 9]
    assert [version.size for version, _studies in down.context["rows"]] == [9, 4, 2]
    assert 'aria-sort="descending"' in down.content.decode()
    files = rows_of(site_staff, f"{address}?sort=-questions&format=csv")
    assert [(row["bank"], row["questions"], row["used_by"]) for row in files] == [
        ("bank-c v1", "9", "1"), ("bank-b v1", "4", "1"), ("bank-a v1", "2", "1"),
    ]  # fmt: skip


@pytest.mark.usefixtures("three_banks")
def test_a_column_that_there_is_not_leaves_the_order(site_staff: Client) -> None:
    plain = site_staff.get(reverse("staff_banks"))
    odd = site_staff.get(reverse("staff_banks"), {"sort": "-password"})
    assert [one for one, _ in plain.context["rows"]] == [one for one, _ in odd.context["rows"]]
