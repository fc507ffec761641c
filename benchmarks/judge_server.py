"""An OpenAI-compatible server on loopback that plays a judge, to rehearse judging over HTTP without a model.

    python benchmarks/judge_server.py --port 8099

The server is llmock; LLMOCK_LATENCY_MS, LLMOCK_ERROR_RATE_429, LLMOCK_RPM and its other variables make it
slow or faulty. A judgment follows from a hash of the messages alone: equal messages get equal judgments, and
they mean nothing. It needs the packages of requirements/dev.txt.
"""

import argparse
import hashlib
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from llmock.main import create_app

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

EXPLANATION = "Made by a test server from a hash of the request; it means nothing."


class HashedJudgments:
    """Sits in front of llmock and pins every field of the schema that a request asks for to one value.

    llmock answers with an example of the schema, and a field with one allowed value leaves it no choice.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/chat/completions"):
            await self._app(scope, receive, send)
            return
        pending = [pinned(await _whole_body(receive))]
        headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
        headers.append((b"content-length", str(len(pending[0])).encode()))

        async def replay() -> Message:
            if not pending:
                return await receive()
            return {"type": "http.request", "body": pending.pop(), "more_body": False}

        await self._app({**scope, "headers": headers}, replay, send)


async def _whole_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def pinned(body: bytes) -> bytes:
    """The request with a `const` in each field of its schema; unchanged if it asks for no schema."""
    try:
        request = json.loads(body)
        fields = request["response_format"]["json_schema"]["schema"]["properties"]
    except (ValueError, KeyError, TypeError):
        return body
    digest = hashlib.sha256(json.dumps(request["messages"], sort_keys=True).encode()).digest()
    for name, value in judgment(digest).items():
        if name in fields:
            fields[name] = {**fields[name], "const": value}
    return json.dumps(request).encode()


def judgment(digest: bytes) -> dict[str, str | float]:
    """Two in three criteria are met in full, one in six in half; two in three exact answers are correct."""
    return {
        "explanation": EXPLANATION,
        "grade": "CORRECT" if digest[0] % 3 else "INCORRECT",
        "score": (1.0, 1.0, 1.0, 1.0, 0.5, 0.0)[digest[1] % 6],
        "confidence": (80 + 5 * (digest[2] % 5)) / 100,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=8099)
    port = parser.parse_args().port
    print(f"A judge that means nothing listens on http://127.0.0.1:{port}/v1 (Ctrl-C ends it).", flush=True)
    uvicorn.run(
        HashedJudgments(create_app()), host="127.0.0.1", port=port, log_level="warning", lifespan="off"
    )


if __name__ == "__main__":
    main()
