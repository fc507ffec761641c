"""Servers on loopback for clients of a judge."""

from collections.abc import Iterator

import pytest

from tests.support.small_server import Serve, small_servers


@pytest.fixture
def serve() -> Iterator[Serve]:
    with small_servers() as start:
        yield start
