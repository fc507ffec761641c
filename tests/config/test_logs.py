"""Logs carry no secrets, addresses or answers."""

import pytest
from django.urls import reverse

from config.logs import redact


def test_values_under_telling_keys_are_hidden() -> None:
    line = redact(None, "info", {"event": "saved", "answer": "42", "api_key": "k", "position": 3})
    assert line == {"event": "saved", "answer": "[hidden]", "api_key": "[hidden]", "position": 3}


def test_an_address_is_hidden_wherever_it_stands() -> None:
    line = redact(None, "error", {"event": "mail to ada.l+study@example.org bounced", "count": 1})
    assert line == {"event": "mail to [hidden] bounced", "count": 1}


def test_what_an_error_quotes_of_the_data_is_hidden() -> None:
    lines = (
        "psycopg.errors.NotNullViolation: null value in column",
        "DETAIL:  Failing row contains (7, my answer",
        "goes on).",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "django.db.utils.DataError: unsupported",
        "LINE 1: INSERT ... 'my answer'",
    )
    shown = redact(None, "", {"exception": "\n".join(lines)})["exception"]
    assert shown.splitlines() == [lines[0], "[hidden]", *lines[3:7], "[hidden]"]
    refused = "text Input should be [type=x, input_value='my, answer', input_type=str]"
    assert redact(None, "", {"exception": refused})["exception"] == (
        "text Input should be [type=x, input_value=[hidden], input_type=str]"
    )


@pytest.mark.parametrize("page", ["invitation", "first_run"])
def test_a_link_that_lets_somebody_in_is_hidden(page: str) -> None:
    address = reverse(page, args=["Qm3kZ0x-8_aVd7TtPq2wLrYs"])
    line = redact(None, "warning", {"event": f"Unprocessable Entity: {address}"})
    assert line == {"event": f"Unprocessable Entity: {address.split('Qm')[0]}[hidden]/"}
