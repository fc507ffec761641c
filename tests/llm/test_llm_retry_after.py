"""How long an endpoint asks to be left alone."""

from datetime import UTC, datetime

import pytest

from llm.error_replies import retry_after_seconds

NOW = datetime(2030, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("5", 5.0),
        (" 0.5 ", 0.5),
        ("Wed, 01 May 2030 12:00:20 GMT", 20.0),
        ("Wed, 01 May 2030 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("-3", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, date=None, now=NOW) == seconds


def test_a_date_is_measured_by_the_endpoints_own_clock() -> None:
    slow_clock = "Wed, 01 May 2030 11:59:00 GMT"
    assert retry_after_seconds("Wed, 01 May 2030 11:59:09 GMT", date=slow_clock, now=NOW) == 9.0
