"""Saves while every part of the site is killed, again and again."""

import pytest

from tests.faults.kills import save_under_kills
from tests.faults.servers import Postgres
from tests.faults.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.production, pytest.mark.timeout(900)]

SECONDS = 60
SEED = 16


def test_every_acknowledged_save_is_there_once_in_order_whatever_is_killed(
    empty_production: Site, cluster: Postgres
) -> None:
    survived = save_under_kills(empty_production, cluster, seconds=SECONDS, seed=SEED)
    print(survived)  # noqa: T201  # with `-rP`
