"""A synchronous client for one OpenAI-compatible chat endpoint.

Threads may share a client, but httpx's connection pool slows down quadratically with concurrent requests:
give at most about eight threads the same client and make more clients beyond that.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Self, TypeVar, overload

from pydantic import BaseModel, JsonValue

from llm.attempts import OK, Attempt, Completion, attempt_at, ignore_attempt
from llm.endpoints import Endpoint
from llm.errors import LLMError
from llm.http import ChatHttp, Transport
from llm.replies import ReplyText, error_status, parse, reply_text
from llm.requests import OWN_FIELDS, ChatRequest, Message, chat_request
from llm.retrying import RetryPolicy

Schema = TypeVar("Schema", bound=BaseModel)
Parsed = TypeVar("Parsed")


def utc_now() -> datetime:
    return datetime.now(UTC)


class ChatClient:
    """Chat with `model` at `base_url`; see `llm.errors` for what can go wrong.

    Args:
        timeout: seconds for one attempt, from connecting to the last byte.
        parameters: further fields of every request, e.g. `{"temperature": 0}`; sent as they are.
        transport, timer, clock: injected by tests.

    Raises:
        EndpointInvalid: the address or the key cannot be used.
        ValueError: `parameters` names a field the client sets itself.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        timeout: float = 120.0,
        parameters: Mapping[str, JsonValue] | None = None,
        retry: RetryPolicy | None = None,
        transport: Transport | None = None,
        timer: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        endpoint = Endpoint(base_url, api_key)
        self.base_url = endpoint.base_url
        self.model = model
        self.parameters = dict(parameters or {})
        if taken := OWN_FIELDS & self.parameters.keys():
            raise ValueError(f"Leave {', '.join(sorted(taken))} out of the parameters; the client sets them.")
        self._retry = retry or RetryPolicy()
        self._timer = timer
        self._clock = clock
        self._http = ChatHttp(endpoint, timeout=timeout, transport=transport, timer=timer)

    def __repr__(self) -> str:
        return f"ChatClient({self.model!r} at {self.base_url})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    @overload
    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: None = None,
        on_attempt: Callable[[Attempt], None] = ...,
    ) -> Completion[None]: ...

    @overload
    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: type[Schema],
        on_attempt: Callable[[Attempt], None] = ...,
    ) -> Completion[Schema]: ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: type[Schema] | None = None,
        on_attempt: Callable[[Attempt], None] = ignore_attempt,
    ) -> Completion[Schema] | Completion[None]:
        """Send `messages`, trying again where that can help.

        `on_attempt` is told of every request, the failed ones included, as soon as it is over.

        Raises:
            LLMError: why the last try failed.
        """
        request = chat_request(
            model=self.model, messages=messages, response_schema=response_schema, parameters=self.parameters
        )
        if response_schema is None:
            return self._retry.run(lambda: self._attempt(request, _unparsed, on_attempt))
        read = partial(parse, schema=response_schema, endpoint=self.base_url)
        return self._retry.run(lambda: self._attempt(request, read, on_attempt))

    def _attempt(
        self,
        request: ChatRequest,
        read: Callable[[ReplyText], Parsed],
        on_attempt: Callable[[Attempt], None],
    ) -> Completion[Parsed]:
        started = self._timer()
        try:
            reply = self._send(request)
            parsed = read(reply)
        except LLMError as error:
            on_attempt(attempt_at(request, error.received, error.reason, self._ms_since(started)))
            raise
        attempt = attempt_at(request, reply.received, OK, self._ms_since(started))
        on_attempt(attempt)
        return Completion(reply.text, parsed, reply.finish_reason, attempt)

    def _send(self, request: ChatRequest) -> ReplyText:
        response = self._http.post(request.body)
        if response.received.status != 200:
            raise error_status(response.received, response.headers, endpoint=self.base_url, now=self._clock())
        return reply_text(response.received, endpoint=self.base_url)

    def _ms_since(self, started: float) -> float:
        return (self._timer() - started) * 1000


def _unparsed(reply: ReplyText) -> None:
    """Read a reply for which no schema was asked."""
