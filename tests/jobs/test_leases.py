"""Leases: one process works on a row, others once it is done or dead."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection

from jobs.leases import lease_free, lease_release, lease_renew, lease_take
from judging.models import JudgeConfig

LENGTH = timedelta(seconds=30)
SECOND = timedelta(seconds=1)
ROWS = JudgeConfig.objects.all()
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def row(make_judge: Callable[..., JudgeConfig]) -> JudgeConfig:
    return make_judge("http://127.0.0.1:9/v1")


def taken(now: datetime) -> UUID:
    token = lease_take(ROWS, now=now, length=LENGTH)
    assert token is not None
    return token


def test_a_row_is_taken_once_until_its_lease_ran_out(now: datetime) -> None:
    first = taken(now)
    assert lease_take(ROWS, now=now + LENGTH - SECOND, length=LENGTH) is None
    assert not ROWS.filter(lease_free(now)).exists()
    assert taken(now + LENGTH) != first
    assert ROWS.filter(lease_free(now + 2 * LENGTH)).exists()


def test_a_lease_is_renewed_also_late_as_long_as_nobody_else_took_the_row(now: datetime) -> None:
    first = taken(now)
    assert lease_renew(ROWS, first, now=now + 5 * LENGTH, length=LENGTH)
    assert lease_take(ROWS, now=now + 6 * LENGTH - SECOND, length=LENGTH) is None
    second = taken(now + 6 * LENGTH)
    assert not lease_renew(ROWS, first, now=now + 6 * LENGTH, length=LENGTH)
    assert lease_renew(ROWS, second, now=now + 6 * LENGTH, length=LENGTH)


def test_who_releases_a_row_lets_others_take_it_at_once_and_only_its_own(now: datetime) -> None:
    first = taken(now)
    assert not lease_release(ROWS, uuid4())
    assert lease_take(ROWS, now=now, length=LENGTH) is None
    assert lease_release(ROWS, first)
    assert not lease_release(ROWS, first)
    taken(now)


def test_what_else_changes_with_a_lease_changes_only_with_it(now: datetime) -> None:
    first = lease_take(ROWS, now=now, length=LENGTH, model="first")
    assert first is not None
    assert lease_take(ROWS, now=now, length=LENGTH, model="second") is None
    assert not lease_renew(ROWS, uuid4(), now=now, length=LENGTH, model="third")
    assert ROWS.get().model == "first"
    assert lease_release(ROWS, first, model="done")
    assert ROWS.get().model == "done"


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_of_several_at_the_same_moment_one_takes_the_row(now: datetime) -> None:
    together, tokens = threading.Barrier(8), list[UUID | None]()

    def take() -> None:
        together.wait(10)
        tokens.append(lease_take(ROWS, now=now, length=LENGTH))
        connection.close()

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(tokens) == 8
    assert [token for token in tokens if token] == [ROWS.get().lease]
