"""A synchronous client for one OpenAI-compatible chat endpoint. Any number of threads may share one.

It sends one request a call. Whether a request is sent again, when and how, is the caller's decision by
`llm.errors.FAULT_RULES`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, Self, TypeVar, overload

from pydantic import BaseModel, JsonValue

from llm.egress import PUBLIC_ONLY, Egress
from llm.error_replies import error_status
from llm.errors import LLMError, Received
from llm.http import ChatHttp, Endpoint, Transport
from llm.providers import Provider
from llm.replies import ReplyText, is_fenced, parse, reply_text, require_json
from llm.requests import (
    FIRST,
    OK,
    Attempt,
    ChatRequest,
    Encoder,
    Marked,
    Message,
    RequestFrame,
    RequestMaker,
    SchemaUse,
    Sending,
)

Schema = TypeVar("Schema", bound=BaseModel)
Parsed = TypeVar("Parsed")

# What limits go by for a reply's length where no bound was given.
USUAL_OUTPUT_TOKENS = 1000


@dataclass(frozen=True)
class Completion(Generic[Parsed]):
    """A complete reply. `parsed` is the validated JSON when a schema was asked for, else None."""

    text: str
    parsed: Parsed
    finish_reason: str
    attempt: Attempt


class ChatClient:
    """Chat with `model` at `base_url`; see `llm.errors` for what can go wrong.

    Args:
        provider: the kind of endpoint; decides how a request is written, not what it means.
        reasoning_effort: how long the model is to think; "" leaves it to the model.
        max_output_tokens: the most tokens of a reply, thinking included; None leaves it to the endpoint.
        timeout: seconds for one request, from connecting to the last byte.
        parameters: further fields of every request, e.g. `{"temperature": 0}`; sent as they are.
        egress: where requests may go; to nothing but public addresses if it is not said.
        transport, timer, clock: injected by tests.

    Raises:
        EndpointInvalid: the address or the key cannot be used.
        EffortUnsupported: this kind of endpoint cannot be told the reasoning effort.
        ValueError: `parameters` names a field the client sets itself.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        provider: Provider = Provider.GENERIC,
        reasoning_effort: str = "",
        max_output_tokens: int | None = None,
        timeout: float = 120.0,
        parameters: Mapping[str, JsonValue] | None = None,
        egress: Egress = PUBLIC_ONLY,
        transport: Transport | None = None,
        timer: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        endpoint = Endpoint(base_url, api_key)
        self.base_url = endpoint.base_url
        self.provider = provider
        self._maker = RequestMaker(model, dict(parameters or {}), reasoning_effort, max_output_tokens)
        self._encoder = Encoder(provider, self._maker)
        self._timer = timer
        self._clock = clock
        self._http = ChatHttp(endpoint, timeout=timeout, egress=egress, transport=transport, timer=timer)

    def __repr__(self) -> str:
        return f"ChatClient({self._maker.model!r} at {self.base_url})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def describe(self) -> dict[str, JsonValue]:
        """Everything about the client that can decide a reply; the key is not in it."""
        return {
            "model": self._maker.model,
            "base_url": self.base_url,
            "provider": self.provider.value,
            "parameters": dict(self._maker.parameters),
            "reasoning_effort": self._maker.reasoning_effort,
            "max_output_tokens": self._maker.max_output_tokens,
        }

    def request(
        self,
        messages: Sequence[Message],
        response_schema: type[BaseModel] | None = None,
        marked: Marked | None = None,
    ) -> ChatRequest:
        """What `complete` would ask, without asking: its hash and its size. Costs next to nothing."""
        return self._maker.request(messages, response_schema, marked)

    def frame(
        self, messages: Sequence[Message], response_schema: type[BaseModel] | None, gap: str
    ) -> RequestFrame:
        """The names of many such requests; see `RequestMaker.frame`."""
        return self._maker.frame(messages, response_schema, gap)

    @overload
    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: None = None,
        marked: Marked | None = ...,
        sending: Sending = ...,
    ) -> Completion[None]: ...

    @overload
    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: type[Schema],
        marked: Marked | None = ...,
        sending: Sending = ...,
    ) -> Completion[Schema]: ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: type[Schema] | None = None,
        marked: Marked | None = None,
        sending: Sending = FIRST,
    ) -> Completion[Schema] | Completion[None]:
        """Send `messages` once. With `marked` the request is named by the messages without the mark.

        Raises:
            LLMError: what went wrong; its `attempt` is the record of the request.
        """
        request = self._maker.request(messages, response_schema, marked)
        if response_schema is None:
            return self._completion(request, sending, lambda reply: None)
        return self._completion(
            request,
            sending,
            lambda reply: parse(reply, response_schema, endpoint=self.base_url, plain=sending.in_words),
        )

    def _completion(
        self, request: ChatRequest, sending: Sending, read: Callable[[ReplyText], Parsed]
    ) -> Completion[Parsed]:
        with_schema = request.response_schema is not None
        started, use = self._timer(), SchemaUse.UNKNOWN
        try:
            reply = self._send(request, sending)
            if with_schema and sending.plain:
                use = SchemaUse.IN_WORDS
            parsed = read(reply)
        except LLMError as error:
            error.attempt = self._attempt(request, sending, error.received, error.reason, started, use)
            raise
        # What a reply to the schema that could be used shows of the endpoint's way with schemas.
        if with_schema and not sending.plain:
            held = SchemaUse.SLIPPED if sending.on_trial else SchemaUse.HELD
            use = SchemaUse.UNHELD if is_fenced(reply.text) else held
        attempt = self._attempt(request, sending, reply.received, OK, started, use)
        return Completion(reply.text, parsed, reply.finish_reason, attempt)

    def _send(self, request: ChatRequest, sending: Sending) -> ReplyText:
        body = self._encoder.body(request, plain=sending.in_words, added=sending.added)
        response = self._http.post(body)
        received, headers = response.received, response.headers
        if received.status != 200:
            raise error_status(
                received,
                headers,
                endpoint=self.base_url,
                now=self._clock(),
                with_schema=request.response_schema is not None and not sending.in_words,
            )
        require_json(received, headers, endpoint=self.base_url)
        return reply_text(received, endpoint=self.base_url)

    def _attempt(
        self,
        request: ChatRequest,
        sending: Sending,
        received: Received,
        outcome: str,
        started: float,
        use: SchemaUse,
    ) -> Attempt:
        """The record of one request; the model is the one the endpoint names, else the one asked for."""
        return Attempt(
            request_sha256=request.sha256,
            model=received.model or request.model,
            outcome=outcome,
            raw_reply=received.raw,
            prompt_tokens=received.prompt_tokens,
            completion_tokens=received.completion_tokens,
            latency_ms=(self._timer() - started) * 1000,
            plain_json=sending.in_words,
            asked_again=sending.reask is not None,
            prompt_estimate=sending.prompt_tokens(request),
            mark=request.mark,
            schema_use=use,
        )
