"""A client over scripted replies."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import httpcore
import httpx
from pydantic import BaseModel, Field

from llm import errors
from llm.client import ChatClient
from llm.egress import AddressForbidden
from llm.http import MAX_REPLY_BYTES
from llm.requests import Message

KEY = "sk-very-secret-0123456789"
ASK = [Message("user", "How many moons has Mars?")]
Handler = Callable[[httpx.Request], httpx.Response]
GOOD = '{"reasoning": "Phobos, Deimos", "count": 2}'


class ScriptedTransport:
    """Hands each request to a function and takes the reply from it, both in httpx's terms."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        url, stream = bytes(request.url).decode("ascii"), request.stream
        assert isinstance(stream, Iterable)
        response = self._handler(
            httpx.Request("POST", url, headers=request.headers, content=b"".join(stream))
        )
        return httpcore.Response(
            response.status_code,
            headers=response.headers.raw,
            content=cast("httpx.SyncByteStream", response.stream),
        )

    def close(self) -> None:
        pass


class Moons(BaseModel):
    reasoning: str
    count: int = Field(ge=0, le=500)


def completion(content: str | None = "two", **changes: Any) -> dict[str, Any]:
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    choice.update(changes)
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"id": "1", "model": "moon-counter-2", "choices": [choice], "usage": usage}


def client(handler: Handler, **settings: Any) -> ChatClient:
    return ChatClient(
        base_url="http://judge.example/v1/",
        model="moon-counter",
        api_key=KEY,
        transport=ScriptedTransport(handler),
        **settings,
    )


def answering(reply: dict[str, Any] | str | bytes, *, status: int = 200, **named: str) -> Handler:
    headers = {name.replace("_", "-"): value for name, value in named.items()}

    def handler(request: httpx.Request) -> httpx.Response:
        if isinstance(reply, dict):
            return httpx.Response(status, json=reply, headers=headers)
        return httpx.Response(status, content=reply, headers=headers)

    return handler


def failing(error: type[Exception]) -> Handler:
    def handler(request: httpx.Request) -> httpx.Response:
        raise error("[Errno 111] Connection refused")

    return handler


def breaking(error: type[Exception]) -> Handler:
    """The head of a reply and the start of its body arrive, and then something happens."""

    def handler(request: httpx.Request) -> httpx.Response:
        def body() -> Iterator[bytes]:
            yield b'{"choices"'
            raise error("")

        return httpx.Response(200, content=body(), headers={"content-type": "application/json"})

    return handler


def forbidden(request: httpx.Request) -> httpx.Response:
    raise AddressForbidden("judge.example")


FAULTS: dict[type[errors.LLMError], Handler] = {
    errors.AddressRefused: forbidden,
    errors.ConnectionFailed: failing(httpcore.ConnectError),
    errors.ConnectionLost: failing(httpcore.RemoteProtocolError),
    errors.TimedOut: failing(httpcore.ReadTimeout),
    errors.ReplyTooSlow: breaking(httpcore.ReadTimeout),
    errors.RateLimited: answering("slow down", status=429),
    errors.ServerFailed: answering("oops", status=500),
    errors.EndpointTimedOut: answering("", status=408),
    errors.EndpointConflict: answering("", status=409),
    errors.AskedTooEarly: answering("", status=425),
    errors.AccessDenied: answering("who are you", status=401),
    errors.PromptTooLong: answering("This model's maximum context length is 4096 tokens.", status=400),
    errors.SchemaRejected: answering('Unknown name "additionalProperties" at response_schema', status=400),
    errors.RequestRejected: answering("no such parameter", status=400),
    errors.OtherInterface: answering({"choices": [{"text": GOOD, "finish_reason": "stop"}]}),
    errors.ReplyTooLarge: answering(b" " * (MAX_REPLY_BYTES + 1)),
    errors.ReplyWrongType: answering(completion(GOOD), content_type="text/html; charset=utf-8"),
    errors.ReplyMalformed: answering("<html>Welcome to the hotel network</html>"),
    errors.ReplyTruncated: answering(completion('{"reasoning": "Pho', finish_reason="length")),
    errors.TokenLimitSpent: answering(
        completion(message={"content": "", "reasoning_content": "Phobos"}, finish_reason="length")
    ),
    errors.ReplyRefused: answering(completion(message={"content": None, "refusal": "I will not."})),
    errors.ReplyEmpty: answering(completion(" \n ")),
    errors.ReplyOnlyReasoning: answering(completion(message={"content": None, "reasoning": "Phobos"})),
    errors.ReplyToolCall: answering(
        completion(message={"content": None, "tool_calls": [{"function": {"name": "moons"}}]})
    ),
    errors.ReplyOffSchema: answering(completion('{"reasoning": "many"}')),
    errors.ReplyOutOfRange: answering(completion('{"reasoning": "many", "count": 501}')),
}
