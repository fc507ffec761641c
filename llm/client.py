"""A synchronous client for one OpenAI-compatible chat endpoint. Any number of threads may share one."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol, Self, TypeVar, overload

from pydantic import BaseModel, JsonValue

from llm.attempts import OK, Attempt, Completion, RequestState, attempt_at
from llm.egress import PUBLIC_ONLY, Egress
from llm.encoding import Encoder
from llm.endpoints import Endpoint
from llm.errors import LLMError
from llm.http import ChatHttp, Transport
from llm.providers import Provider
from llm.replies import ReplyText, error_status, parse, reply_text, require_json
from llm.reply_shapes import is_fenced
from llm.requests import ChatRequest, Marked, Message, RequestFrame, RequestMaker
from llm.retrying import RetryPolicy

Schema = TypeVar("Schema", bound=BaseModel)
Parsed = TypeVar("Parsed")

# What a gate is told of a reply's length when no limit was given.
USUAL_OUTPUT_TOKENS = 1000
# After so many calls in a row that needed words for the form of the reply, it is described at once.
UNHELD_CALLS = 2


class GateClosed(Exception):
    """Nothing may be sent now. Nothing was: no attempt is recorded, and no fault of the endpoint is meant."""


class Gate(Protocol):
    """Asked before each HTTP request, the repeated ones included: where a shared limit holds callers back.

    Safe to share between threads.
    """

    def enter(self, *, tokens: int) -> None:
        """Return when a request of about `tokens` tokens, prompt and reply together, may be sent; may block.

        Raises:
            GateClosed: it may not be sent; the caller passes this on untouched.
        """


class OpenGate:
    """Lets everything through at once."""

    def enter(self, *, tokens: int) -> None:
        pass


OPEN_GATE = OpenGate()


class ChatClient:
    """Chat with `model` at `base_url`; see `llm.errors` for what can go wrong, and what is done about it.

    Args:
        provider: the kind of endpoint; decides how a request is written, not what it means.
        reasoning_effort: how long the model is to think; "" leaves it to the model.
        max_output_tokens: the most tokens of a reply, thinking included; None leaves it to the endpoint.
        timeout: seconds for one attempt, from connecting to the last byte.
        parameters: further fields of every request, e.g. `{"temperature": 0}`; sent as they are.
        gate: passed before every HTTP request; its waiting belongs to no attempt.
        plain_json: leave out the schema and describe it in words, for an endpoint known not to accept it.
        on_plain_json: called once, when a request got through without the schema that failed with it, or when
            the endpoint is found to accept schemas and not to hold models to them.
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
        retry: RetryPolicy | None = None,
        gate: Gate = OPEN_GATE,
        plain_json: bool = False,
        on_plain_json: Callable[[], None] = lambda: None,
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
        self._retry = retry or RetryPolicy()
        self._gate = gate
        self._plain_json = plain_json
        self._on_plain_json = on_plain_json
        self._unheld = 0
        self._lock = threading.Lock()
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

    @property
    def plain_json(self) -> bool:
        """True when requests leave out the schema."""
        return self._plain_json

    def request(
        self, messages: Sequence[Message], response_schema: type[BaseModel] | None = None
    ) -> ChatRequest:
        """What `complete` would ask, without asking: its hash and its size. Costs next to nothing."""
        return self._maker.request(messages, response_schema)

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
        on_attempt: Callable[[Attempt], None] = ...,
        marked: Marked | None = ...,
    ) -> Completion[None]: ...

    @overload
    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: type[Schema],
        on_attempt: Callable[[Attempt], None] = ...,
        marked: Marked | None = ...,
    ) -> Completion[Schema]: ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        response_schema: type[Schema] | None = None,
        on_attempt: Callable[[Attempt], None] = lambda attempt: None,
        marked: Marked | None = None,
    ) -> Completion[Schema] | Completion[None]:
        """Send `messages`, going on after each fault as its rule says (`llm.fault_rules`).

        `on_attempt` is told of every request, the failed ones included, as soon as it is over. With `marked`
        the request is named by the messages without the mark.

        Raises:
            LLMError: why the last request failed.
            GateClosed: the gate let nothing through; nothing was sent since the last attempt.
        """
        state = RequestState(self._maker.request(messages, response_schema, marked), plain=self._plain_json)
        if response_schema is None:
            return self._retry.run(lambda: self._attempt(state, _unparsed, on_attempt), adapt=state.adapt)

        def read(reply: ReplyText) -> Schema:
            return parse(reply, response_schema, endpoint=self.base_url, plain=state.plain)

        return self._retry.run(lambda: self._attempt(state, read, on_attempt), adapt=state.adapt)

    def _attempt(
        self,
        state: RequestState,
        read: Callable[[ReplyText], Parsed],
        on_attempt: Callable[[Attempt], None],
    ) -> Completion[Parsed]:
        self._gate.enter(tokens=state.tokens(self._maker.max_output_tokens or USUAL_OUTPUT_TOKENS))
        started = self._timer()
        try:
            reply = self._send(state)
            parsed = read(reply)
        except LLMError as error:
            on_attempt(attempt_at(state, error.received, error.reason, self._ms_since(started)))
            raise
        self._note_schema(state, reply)
        attempt = attempt_at(state, reply.received, OK, self._ms_since(started))
        on_attempt(attempt)
        return Completion(reply.text, parsed, reply.finish_reason, attempt)

    def _send(self, state: RequestState) -> ReplyText:
        body = self._encoder.body(state.request, plain=state.plain, reask=state.reask)
        response = self._http.post(body)
        received, headers = response.received, response.headers
        if received.status != 200:
            raise error_status(
                received,
                headers,
                endpoint=self.base_url,
                now=self._clock(),
                with_schema=state.request.response_schema is not None and not state.plain,
            )
        require_json(received, headers, endpoint=self.base_url)
        reply = reply_text(received, endpoint=self.base_url)
        if state.plain and not state.on_trial:
            self._remember_plain_json()
        return reply

    def _note_schema(self, state: RequestState, reply: ReplyText) -> None:
        """Whether the endpoint holds models to the schema, by a reply that could be used.

        A fence shows that it does not. Prose may be the model's slip: it shows it the second time in a row.
        """
        if state.request.response_schema is None or (state.plain and not state.on_trial):
            return
        with self._lock:
            self._unheld = self._unheld + 1 if state.on_trial else 0
            is_known = self._unheld >= UNHELD_CALLS or is_fenced(reply.text)
        if is_known:
            self._remember_plain_json()

    def _remember_plain_json(self) -> None:
        with self._lock:
            known, self._plain_json = self._plain_json, True
        if not known:
            self._on_plain_json()

    def _ms_since(self, started: float) -> float:
        return (self._timer() - started) * 1000


def _unparsed(reply: ReplyText) -> None:
    """Read a reply for which no schema was asked."""
