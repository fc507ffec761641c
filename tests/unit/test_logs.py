"""Logs carry no secrets, addresses or answers."""

from config.logs import redact


def test_values_under_telling_keys_are_hidden() -> None:
    line = redact(None, "info", {"event": "saved", "answer": "42", "api_key": "k", "position": 3})
    assert line == {"event": "saved", "answer": "[hidden]", "api_key": "[hidden]", "position": 3}


def test_an_address_is_hidden_wherever_it_stands() -> None:
    line = redact(None, "error", {"event": "mail to ada.l+study@example.org bounced", "count": 1})
    assert line == {"event": "mail to [hidden] bounced", "count": 1}
