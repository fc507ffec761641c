"""A request in the dialect of one kind of endpoint, as the bytes that are sent.

Messages are sent as they are, with two exceptions that leave a request's hash alone. In plain mode, for an
endpoint that does not accept the schema, the last message ends with one more line that describes the reply.
It is no message of its own, because some chat templates take none of the role "system", or no two of "user"
in a row. And a re-ask adds the reply that could not be used, and what was wrong with it.
"""

import json
from functools import lru_cache

from pydantic import BaseModel, JsonValue

from llm.providers import PROFILES, Provider, effort_fields
from llm.requests import ChatRequest, Message, RequestMaker, messages_text
from llm.schema import response_format, schema_in_words

ALWAYS_OURS = frozenset(
    {"model", "messages", "response_format", "stream", "n", "max_tokens", "max_completion_tokens"}
)


class Encoder:
    """Writes the requests of `maker` for one kind of endpoint.

    Raises:
        EffortUnsupported: the endpoint cannot be told this reasoning effort.
        ValueError: `parameters` names a field that is set otherwise.
    """

    def __init__(self, provider: Provider, maker: RequestMaker) -> None:
        self._provider = provider
        self._profile = PROFILES[provider]
        effort = effort_fields(provider, maker.reasoning_effort)
        if taken := (ALWAYS_OURS | effort.keys()) & maker.parameters.keys():
            raise ValueError(f"Leave {', '.join(sorted(taken))} out of the parameters; the client sets them.")
        most = maker.max_output_tokens
        limit = {} if most is None else {self._profile.limit_field: most}
        self._head = f'{{"model": {json.dumps(maker.model)}, "messages": '
        self._settings = {**limit, **effort, **dict(sorted(maker.parameters.items()))}
        self._tail = lru_cache(64)(self._tail_of)

    def body(self, request: ChatRequest, *, plain: bool, added: tuple[Message, ...] = ()) -> bytes:
        """The bytes of `request`; `added` is what is said after it."""
        messages = request.messages_json
        if plain and request.response_schema is not None:
            messages = _with_last_line(messages, schema_in_words(request.response_schema))
        if added:
            messages = f"{messages[:-1]}, {messages_text(added)[1:]}"
        return (self._head + messages + self._tail(request.response_schema, plain)).encode("ascii")

    def _tail_of(self, schema: type[BaseModel] | None, plain: bool) -> str:
        asked: JsonValue = None
        if schema is not None:
            asked = self._profile.plain_format if plain else response_format(schema, self._provider)
        fields = {} if asked is None else {"response_format": asked}
        # Not sorted: models fill in the fields of a schema in the order in which it names them.
        rest = json.dumps({**fields, **self._settings}, allow_nan=False)
        return "}" if rest == "{}" else f", {rest[1:]}"


def _with_last_line(messages_json: str, line: str) -> str:
    """The messages with one more line at the end of the last one, whose content ends the text."""
    if not messages_json.endswith('"}]'):
        raise ValueError("There is no message to add a line to.")
    return f'{messages_json[:-3]}{json.dumps(chr(10) * 2 + line)[1:-1]}"}}]'
