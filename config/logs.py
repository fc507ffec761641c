"""Structured logs without secrets, addresses or answers."""

import logging
import logging.config
import re
from collections.abc import MutableMapping
from typing import Any

import structlog

SECRET_KEYS = re.compile(
    r"token|secret|password|authorization|api_?key|cookie|e_?mail|answer|text|code", re.I
)
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)*")
# Whoever has the link of an invitation is let in, whoever has that of the first run owns the site.
LINK = re.compile(r"(?:(?<=/invitations/)|(?<=/first-run/))[\w-]{20,}")
# PostgreSQL quotes the row or the statement that failed, pydantic the input: either may be an answer.
QUOTED_BY_DATABASE = re.compile(
    r"\n(?:LINE \d+|DETAIL|CONTEXT|QUERY):.*?(?=\n\n(?:The above|During handling)|\Z)", re.DOTALL
)
QUOTED_BY_PYDANTIC = re.compile(r"(?<=input_value=).*?(?=, input_type=)", re.DOTALL)
HIDDEN = "[hidden]"


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Hide values under telling keys, e-mail addresses wherever they stand, and what errors quote."""
    for key, value in event.items():
        if key != "event" and SECRET_KEYS.search(key):
            event[key] = HIDDEN
        elif isinstance(value, str):
            value = QUOTED_BY_PYDANTIC.sub(HIDDEN, QUOTED_BY_DATABASE.sub(f"\n{HIDDEN}", value))
            event[key] = LINK.sub(HIDDEN, ADDRESS.sub(HIDDEN, value))
    return event


def configure_logs(*, as_json: bool) -> None:
    """Send our own and the libraries' records through one redacting formatter to standard error."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
    ]
    renderer = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "chiron": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": shared,
                    "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "chiron"}},
            "root": {"handlers": ["stderr"], "level": "WARNING"},
            "loggers": {"chiron": {"level": "INFO"}},
        }
    )
