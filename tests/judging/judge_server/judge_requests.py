"""Requests to the judge server that tests and benchmarks use."""

import json
import ssl
import time
from collections.abc import Callable
from typing import Any

import httpx

from benchmarks.hashed_judge.log import Arrival
from benchmarks.hashed_judge.running import RunningJudge

# Without the certificates that nobody asks for on loopback, a client is made in no time.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
RUBRIC: dict[str, Any] = {
    "explanation": {"type": "string"},
    "score": {"type": "number", "minimum": 0.0, "maximum": 1.0},
    "confidence": {"type": "number", "minimum": 0.0, "maximum": 1.0},
}


def chat(text: str, fields: dict[str, Any] | None = None, **further: Any) -> dict[str, Any]:
    """The body of a chat request; `fields` are those of its schema."""
    body: dict[str, Any] = {"model": "judge-1", "messages": [{"role": "user", "content": text}], **further}
    if fields is not None:
        schema = {"type": "object", "properties": fields, "required": list(fields)}
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "one", "schema": schema}}
    return body


def asked(judge: RunningJudge, body: dict[str, Any], **options: Any) -> httpx.Response:
    options = {"timeout": 10, "verify": NO_CERTIFICATES, **options}
    return httpx.post(f"{judge.url}/chat/completions", json=body, **options)


def said(reply: httpx.Response) -> str:
    assert reply.status_code == 200
    return str(reply.json()["choices"][0]["message"]["content"])


def judged(judge: RunningJudge, body: dict[str, Any]) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads(said(asked(judge, body)))
    return verdict


def logged(judge: RunningJudge, wanted: Callable[[list[Arrival]], bool]) -> list[Arrival]:
    """The log as soon as it shows what is wanted."""
    for _ in range(200):
        if wanted(arrivals := judge.arrivals()):
            return arrivals
        time.sleep(0.02)
    raise AssertionError(f"The log does not show it: {judge.arrivals()}")


def all_answered(count: int) -> Callable[[list[Arrival]], bool]:
    return lambda arrivals: sum(one.status is not None for one in arrivals) == count
