"""Lists of the team's pages sort by GET, and give the same rows as CSV."""

import csv
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import JudgeConfig
from scoring.models import ModelConfiguration
from studies.models import ItemBank, JudgeProtocol, Study, User

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
    return list(csv.DictReader(StringIO(client.get(address).content.decode("utf-8-sig"))))


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


def test_judges_without_prices_stand_last_both_ways(site_staff: Client, now: datetime) -> None:
    for slug, price in (("dear", Decimal(3)), ("unpriced", None), ("cheap", Decimal("0.5"))):
        JudgeConfig.objects.create(
            slug=slug, base_url="https://judge.example/v1", model="=m", provider="generic",
            input_price=price, output_price=price, created_at=now,
        )  # fmt: skip
    address = reverse("staff_judges")
    for sort, names in (
        ("prices", ["cheap", "dear", "unpriced"]),
        ("-prices", ["dear", "cheap", "unpriced"]),
    ):
        page = site_staff.get(address, {"sort": sort})
        assert [judge.config.slug for judge in page.context["page"]] == names
        file = rows_of(site_staff, f"{address}?sort={sort}&format=csv")
        assert [row["name"] for row in file] == names
    assert (file[1]["prices"], file[1]["model"]) == ('{"read":"0.5","written":"0.5"}', "'=m")
    assert file[2]["prices"] == ""


def test_judge_texts_sort_by_the_number_of_their_studies(
    site_staff: Client, make_study: Callable[..., Study], now: datetime
) -> None:
    made = [
        JudgeProtocol.objects.create(
            slug=slug, sha256=slug * 64, exact_text="e", rubric_text="r", source=f"of {slug}", imported_at=now
        )
        for slug in "abc"
    ]
    Study.objects.filter(pk=make_study(slug="b").pk).update(judge_protocol=made[1])
    address = reverse("staff_judge_texts")
    assert [texts.slug for texts, _ in site_staff.get(address).context["rows"]] == ["a", "b", "c", "chiron"]
    page = site_staff.get(address, {"sort": "-used_by"})
    assert [texts.slug for texts, _ in page.context["rows"]] == ["b", "a", "c", "chiron"]
    file = rows_of(site_staff, f"{address}?sort=-used_by&format=csv")
    assert [(row["judge_texts"], row["source"], row["used_by"]) for row in file][:3] == [
        ("b", "of b", "1"), ("a", "of a", "0"), ("c", "of c", "0"),
    ]  # fmt: skip


def test_models_without_family_or_ability_stand_last_both_ways(site_staff: Client, now: datetime) -> None:
    bank = ItemBank.objects.create(
        slug="items", digest="0" * 64, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=1, imported_at=now
    )
    for name, family, theta in (("one", "x", 1.0), ("two", "", None), ("three", "y", -1.0)):
        ModelConfiguration.objects.create(
            item_bank=bank, name=name, family=family, published_theta=theta, source="here", sha256="0" * 64,
            imported_at=now,
        )  # fmt: skip
    address = reverse("staff_models")
    for sort, names in (
        ("ability", ["three", "one", "two"]), ("-ability", ["one", "three", "two"]),
        ("family", ["one", "three", "two"]), ("-family", ["three", "one", "two"]),
    ):  # fmt: skip
        page = site_staff.get(address, {"sort": sort})
        assert [one.name for one, _scores in page.context["rows"]] == names
        file = rows_of(site_staff, f"{address}?sort={sort}&q=t&format=csv")
        assert [row["model"] for row in file] == [name for name in names if "t" in name]


def test_staff_who_never_signed_in_stand_last_both_ways(site_staff: Client, now: datetime) -> None:
    for email, seen in (("early@example.org", now), ("late@example.org", now + timedelta(days=1))):
        User.objects.create_user(email, is_staff=True, last_login=seen)
    User.objects.create_user("never@example.org", is_staff=True)
    User.objects.filter(email="admin@example.org").update(last_login=now - timedelta(days=1))
    for sort, names in (
        ("seen", ["admin", "early", "late", "never"]), ("-seen", ["late", "early", "admin", "never"]),
    ):  # fmt: skip
        page = site_staff.get(reverse("staff_team"), {"sort": sort})
        assert [user.email.partition("@")[0] for user in page.context["page"]] == names
        file = rows_of(site_staff, f"{reverse('staff_team_file')}?sort={sort}&q=e")
        assert [row["address"].partition("@")[0] for row in file] == names


def test_lists_of_the_site_are_refused_to_whoever_makes_no_studies(client: Client) -> None:
    client.force_login(User.objects.create_user("other@example.org", is_staff=True))
    for name in ("staff_judges", "staff_judge_texts"):
        assert client.get(reverse(name), {"format": "csv"}).status_code == 403
