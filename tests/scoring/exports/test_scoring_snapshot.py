"""An export sees one moment while people go on working."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from django.db import connection

from studies.models import Bank
from studies.services.database import snapshot

pytestmark = pytest.mark.django_db(transaction=True)


def add_bank(slug: str, now: datetime) -> None:
    try:
        Bank.objects.create(slug=slug, created_at=now)
    finally:
        connection.close()


def slugs() -> list[str]:
    return sorted(Bank.objects.values_list("slug", flat=True).iterator(1))


def test_a_snapshot_hides_what_is_written_meanwhile_and_hinders_nobody(now: datetime) -> None:
    Bank.objects.create(slug="before", created_at=now)
    with snapshot(), ThreadPoolExecutor(1) as other:
        assert slugs() == ["before"]
        other.submit(add_bank, "meanwhile", now).result(timeout=10)
        assert slugs() == ["before"]
    assert slugs() == ["before", "meanwhile"]


def test_after_an_error_in_a_snapshot_the_connection_is_usable(now: datetime) -> None:
    with pytest.raises(OSError, match="disk"), snapshot():
        raise OSError("disk")
    Bank.objects.create(slug="after", created_at=now)
    assert slugs() == ["after"]


def test_a_snapshot_in_another_leaves_that_one_as_it_is(now: datetime) -> None:
    Bank.objects.create(slug="before", created_at=now)
    with snapshot(), ThreadPoolExecutor(1) as other:
        with snapshot():
            assert slugs() == ["before"]
        other.submit(add_bank, "meanwhile", now).result(timeout=10)
        assert slugs() == ["before"]
    assert slugs() == ["before", "meanwhile"]
