"""From the body of a reply to its text and the JSON that was asked for, or to the error that says why not.

The whole text is read, as one JSON value. Nothing around it is tolerated but what is taken off its very ends,
so that no verdict which the model only quotes can be picked up; nor is a key that is given twice, of which a
parser would silently keep one. The shapes in which OpenAI-compatible servers are known to give a reply:

| shape | seen of | is |
|---|---|---|
| `content` as text | all | read |
| `content` as parts: `text`, `output_text`, `thinking`, `refusal` | Mistral, OpenAI, proxies | read |
| `reasoning_content`, `reasoning`, `reasoning_details` alone | vLLM, DeepSeek, OpenRouter, Ollama | told |
| `<think>…</think>`, `[THINK]…`, channels before the text | llama.cpp, LM Studio, KoboldCpp | read behind |
| one Markdown fence around the text | whoever accepts a schema and ignores it | read inside |
| `<answer>…</answer>`, boxes of tokens around the text | GLM, Cohere, Hunyuan, Granite | read inside |
| a token that begins or ends turns, a byte order mark | KoboldCpp, older vLLM | read without |
| no `finish_reason` | KoboldCpp, proxies | read if the JSON is whole |
| other families' `finish_reason`: `max_tokens`, `SAFETY` | Anthropic, Gemini | read as OpenAI's |
| `tool_calls` or `function_call` instead of text | LiteLLM | told; asked once without the schema |
| `error` in the body or in a choice, status 200 | OpenRouter, Ollama, vLLM | told as that status |
| a stream, text completions, another family's own reply | a wrong address | told |
| a usage that is none | some | read as not known |

What is told has its fault in `llm.errors`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, FailFast, Field, JsonValue, TypeAdapter, ValidationError

from llm import errors
from llm.error_replies import SAID, nothing_chosen, other_interface, shown, told_error

Schema = TypeVar("Schema", bound=BaseModel)

# The one compression that is read, by its two names.
GZIP = frozenset({"gzip", "x-gzip"})
# Some servers name no type of their own; a body that is no JSON is found out anyway.
UNNAMED = frozenset({"", "text/json", "text/plain", "application/octet-stream"})
SHOWN_NAME = 100
NAMED_PROBLEMS = 5
MAX_PROBLEMS = 1000
_NAME_CHARACTERS = 60
_OUT_OF_RANGE = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})

STOPPED_SHORT = frozenset(
    "length max_tokens max_output_tokens max_completion_tokens model_length max_length token_limit "
    "error_limit model_context_window_exceeded".split()
)
DECLINED = frozenset(
    "content_filter content_filtered safety recitation prohibited_content blocklist spii refusal sensitive "
    "guardrail_intervened error_toxic".split()
)
FAILED = frozenset(
    "error failed abort aborted insufficient_system_resource network_error server_error".split()
)

# The fence many models put around JSON when no schema holds them. JSON has no line that starts with one. Its
# end is left out where it is a stop word of the server.
_FENCE = re.compile(
    r"\s*(?P<sign>`{3,}+|~{3,}+)(?:[ \t]*[a-z]\w*+)?\s*(?P<inside>[{\[].*?[}\]])\s*+(?P=sign)?\s*",
    re.DOTALL | re.IGNORECASE,
)
# What some models put around the text behind their thoughts.
_FRAMES = {
    "<answer>": "</answer>",
    "<response>": "</response>",
    "<|begin_of_box|>": "<|end_of_box|>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
    "<|START_TEXT|>": "<|END_TEXT|>",
}
_THOUGHTS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
    "<|channel>thought": "<channel|>",
    "<|channel|>analysis": "<|channel|>final<|message|>",
    "<|channel|>commentary": "<|channel|>final <|constrain|>json<|message|>",
}
_TURN_BEGINS = ("<s>", "<|begin_of_text|>", "<|im_start|>assistant", "<|start|>assistant", "<|assistant|>")
_TURN_ENDS = tuple(
    "<|im_end|> <|eot_id|> <|eom_id|> <|end|> <|return|> <|endoftext|> <|end_of_text|> </s> <end_of_turn> "
    "<|END_OF_TURN_TOKEN|> <|user|> "
    "<\uff5cend\u2581of\u2581sentence\uff5c>".split()
)
_MAX_TURN_ENDS = 4


def _count(value: object) -> int | None:
    """What a server counted, None where that is no number of tokens."""
    try:
        return _Count.validate_python(value)
    except ValidationError:
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _mapping(value: object) -> object:
    return value if isinstance(value, dict) else None


_Count = TypeAdapter(Annotated[int, Field(ge=0, lt=2**31)])
TokenCount = Annotated[int | None, BeforeValidator(_count)]
Text = Annotated[str | None, BeforeValidator(_text)]
Object = Annotated[dict[str, JsonValue] | None, BeforeValidator(_mapping)]


class Usage(BaseModel):
    prompt_tokens: TokenCount = None
    completion_tokens: TokenCount = None
    completion_tokens_details: Object = None


class ReplyMessage(BaseModel):
    """A message as any of these servers writes it."""

    content: str | list[JsonValue] | None = None
    refusal: Text = None
    reasoning_content: JsonValue = None
    reasoning: JsonValue = None
    reasoning_details: JsonValue = None
    tool_calls: JsonValue = None
    function_call: JsonValue = None

    @property
    def text(self) -> str:
        """What it says, without what stands in parts for thoughts or a refusal."""
        if isinstance(self.content, str):
            return self.content
        return "".join(_part_texts(self.content or [], "text", "output_text"))

    @property
    def declines(self) -> str:
        return self.refusal or "".join(_part_texts(self.content or [], "refusal"))

    @property
    def thought(self) -> str:
        """The reasoning that stands beside the text, or in its place."""
        for value in (self.reasoning_content, self.reasoning, self.reasoning_details):
            if said := "".join(_all_texts(value)):
                return said
        beside = "".join(_part_texts(self.content or [], "thinking", "reasoning"))
        return beside or (self.text.strip() if not spoken(self.text).strip() else "")

    @property
    def called(self) -> str:
        """The name of the tool that is called, or "" where none is."""
        calls = self.tool_calls if isinstance(self.tool_calls, list) else []
        functions = [call.get("function") for call in calls if isinstance(call, dict)] + [self.function_call]
        names = [str(one.get("name")) for one in functions if isinstance(one, dict)]
        return names[0] if names else ""


class Choice(BaseModel):
    message: ReplyMessage = ReplyMessage()
    finish_reason: Text = None
    error: JsonValue = None

    @property
    def ends(self) -> str:
        """Why the text ended, in the words that OpenAI has for it, as far as they are others'."""
        return (self.finish_reason or "").partition(":")[0].strip().casefold()


class ChatReply(BaseModel):
    """The fields of a chat completion that are used; endpoints add others freely."""

    model: Text = None
    # A list of a million things that are no choice is one mistake, not a million.
    choices: Annotated[list[Choice] | None, FailFast()]
    usage: Annotated[Usage | None, BeforeValidator(_mapping)] = None


@dataclass(frozen=True)
class ReplyText:
    """The text of a reply, with what was received around it; `is_complete` where the endpoint says so."""

    text: str
    finish_reason: str
    is_complete: bool
    received: errors.Received


def require_json(received: errors.Received, headers: Mapping[str, str], *, endpoint: str) -> None:
    """A reply that names no type is given a try; one that names another is not, whatever its text looks like.

    Nor is one that is compressed in a way that was not undone.

    Raises:
        ReplyWrongType, OtherInterface
    """
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", *GZIP}:
        named = storable(encoding)[:SHOWN_NAME]
        raise errors.ReplyWrongType(
            f"{endpoint} sent a reply compressed as {named}, which nobody asked for.", received
        )
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in UNNAMED or kind == "application/json" or kind.endswith("+json"):
        return
    if kind in {"text/event-stream", "application/x-ndjson"} and (
        error := other_interface(received, endpoint, "a stream")
    ):
        raise error
    problem = (
        f"{endpoint} answered with {storable(kind)[:SHOWN_NAME]} instead of JSON.{SAID}{shown(received.raw)}"
    )
    raise errors.ReplyWrongType(problem, received)


def reply_text(received: errors.Received, *, endpoint: str) -> ReplyText:
    """The text of a reply with status 200, in any of the shapes above.

    Raises:
        ErrorStatus: the reply is an error after all.
        UnusableReply: the body is no chat completion, was cut off, was declined or holds no text.
    """
    try:
        reply = ChatReply.model_validate_json(received.raw)
    except ValidationError:
        raise (
            told_error(received, endpoint)
            or other_interface(received, endpoint)
            or errors.ReplyMalformed(
                f"{endpoint} answered with something other than a chat completion."
                f"{SAID}{shown(received.raw)}",
                received,
            )
        ) from None
    usage = reply.usage or Usage()
    received = replace(
        received,
        model=storable(reply.model)[:200] if reply.model else None,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )
    if not reply.choices:
        raise told_error(received, endpoint) or nothing_chosen(received, endpoint)
    choice = reply.choices[0]
    if choice.error or choice.ends in FAILED:
        said: dict[str, JsonValue] = {"error": choice.error or f"finish_reason {choice.finish_reason}"}
        if error := told_error(received, endpoint, said):
            raise error
    if choice.message.declines or choice.ends in DECLINED:
        beginning = shown(choice.message.declines or received.raw)
        raise errors.ReplyRefused(f"The model at {endpoint} declined to answer.{SAID}{beginning}", received)
    if not spoken(choice.message.text).strip():
        other = other_interface(received, endpoint)
        raise other or _without_text(choice, usage, received, endpoint)
    return ReplyText(
        text=storable(choice.message.text),
        finish_reason=storable(choice.finish_reason or ""),
        is_complete=bool(choice.ends) and choice.ends not in STOPPED_SHORT,
        received=received,
    )


def _without_text(
    choice: Choice, usage: Usage, received: errors.Received, endpoint: str
) -> errors.UnusableReply:
    """Why there is no text, with the way out."""
    message, thought = choice.message, choice.message.thought
    details = usage.completion_tokens_details or {}
    if choice.ends in STOPPED_SHORT:
        if thought or details.get("reasoning_tokens"):
            return errors.TokenLimitSpent(
                f"The model at {endpoint} used its whole token limit for thinking; raise the limit of a "
                f"reply (--max-output-tokens) or lower the reasoning effort.{SAID}{shown(thought)}",
                received,
            )
        return errors.ReplyTruncated(
            f"The reply of {endpoint} is cut off before any text; raise the limit of a reply "
            f"(--max-output-tokens).{SAID}{shown(received.raw)}",
            received,
        )
    if message.called:
        return errors.ReplyToolCall(
            f"The model at {endpoint} called the tool {shown(message.called)} instead of answering; "
            f"none was offered. Use a server or a model that answers in text.{SAID}{shown(received.raw)}",
            received,
        )
    if thought:
        return errors.ReplyOnlyReasoning(
            f"The reply of {endpoint} has no text; the model wrote {len(thought):,} characters of reasoning "
            "only. Switch thinking off (reasoning effort none) or use another version of the server."
            f"{SAID}{shown(thought)}",
            received,
        )
    return errors.ReplyEmpty(
        f"The reply of {endpoint} is empty; try again later, or use another model or server."
        f"{SAID}{shown(received.raw)}",
        received,
    )


def parse(reply: ReplyText, schema: type[Schema], *, endpoint: str, plain: bool = False) -> Schema:
    """Validate what is spoken, out of one fence around all of it, as JSON.

    Raises:
        ReplyTruncated: it is no JSON, and the reply does not say that it is complete.
        ReplyOffSchema, ReplyOutOfRange: naming the fields that are wrong.
    """
    text = unwrapped(reply.text)
    kind: type[errors.ReplyInvalid] = errors.ReplyOffSchema
    is_json = few = True
    try:
        parsed = schema.model_validate_json(text)
        problem = _given_twice(text)
        if not problem:
            return parsed
    except ValidationError as error:
        # Each problem takes about a kilobyte to list, and a hostile reply has as many as it has fields.
        few = error.error_count() <= MAX_PROBLEMS
        problems = error.errors(include_input=False, include_url=False) if few else []
        is_json = not any(fault["type"] == "json_invalid" for fault in problems)
        told = []
        for fault in problems[:NAMED_PROBLEMS]:
            place = ".".join(str(part)[:_NAME_CHARACTERS] for part in fault["loc"][:NAMED_PROBLEMS])
            told.append(f"{place or 'reply'}: {fault['msg']}")
        problem = "; ".join(told) or "hardly any field is right"
        if few and all(fault["type"] in _OUT_OF_RANGE for fault in problems):
            kind = errors.ReplyOutOfRange
    if not is_json and not reply.is_complete:
        way_out = (
            "; raise the limit of a reply (--max-output-tokens)"
            if reply.finish_reason
            else ": its endpoint gives no finish_reason, and the text is no whole JSON"
        )
        message = f"The reply of {endpoint} is cut off{way_out}.{SAID}{shown(text)}"
        raise errors.ReplyTruncated(message, reply.received)
    is_prose = not is_json and not text.lstrip().startswith("{")
    problem = storable(problem)
    message = f"The reply of {endpoint} is not a {schema.__name__}: {problem}"
    if is_prose:
        held = "" if plain else "; the endpoint does not hold to the JSON schema"
        message += f"{held}. Use a model or a server that answers in JSON alone."
    elif few:
        message += ". Use a model or a server that keeps to the form."
    message += f"{SAID}{shown(reply.text)}" if few else ""
    raise kind(message, reply.received, text=reply.text, problem=problem, is_prose=is_prose)


def _given_twice(text: str) -> str:
    """The problem with the keys of valid JSON, or ""."""
    twice: list[str] = []

    def note(pairs: list[tuple[str, JsonValue]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)

    json.loads(text, object_pairs_hook=note)
    return f"{twice[0][:_NAME_CHARACTERS]}: given twice" if twice else ""


def storable(text: str) -> str:
    """Replace what a database cannot hold: NUL characters and halves of surrogate pairs."""
    text = text.replace("\0", "\ufffd")
    # Halves of surrogate pairs are not ASCII, and nearly every reply is; asking costs nothing.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _part_texts(parts: str | list[JsonValue], *kinds: str) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str) and "text" in kinds:
            yield part
        elif isinstance(part, dict) and part.get("type") in kinds:
            yield from _all_texts({name: value for name, value in part.items() if name != "type"})


def _all_texts(value: JsonValue) -> Iterator[str]:
    """The texts of a value that servers write as a text, as parts, or as parts of parts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _all_texts(one)
    elif isinstance(value, dict):
        for name in ("text", "thinking", "summary", "refusal", "content"):
            yield from _all_texts(value.get(name))


def is_fenced(text: str) -> bool:
    return _FENCE.fullmatch(spoken(text)) is not None


def unwrapped(text: str) -> str:
    """What is to be read as JSON: what is spoken, out of the one fence that may be around all of it."""
    said = spoken(text)
    fenced = _FENCE.fullmatch(said)
    return fenced["inside"] if fenced else said


def spoken(text: str) -> str:
    """The text without a thought before it and without tokens around it that are no part of it."""
    text = text.removeprefix("\ufeff").strip()
    for _ in range(_MAX_TURN_ENDS):
        ends = next((token for token in _TURN_ENDS if text.endswith(token)), "")
        text = text.removesuffix(ends).rstrip() if ends else text
    for begins in _TURN_BEGINS:
        text = text.removeprefix(begins).lstrip()
    for begins, ends in _THOUGHTS.items():
        thought, ended, rest = text.partition(ends)
        # Templates may open the thought in the prompt; what only quotes its end is no JSON before it, either.
        if ended and not thought.startswith(("{", "```")):
            text = rest.strip()
            break
        if text.startswith(begins):
            return ""
    for begins, ends in _FRAMES.items():
        if text.startswith(begins) and text.endswith(ends):
            return text[len(begins) : -len(ends)].strip()
    return text
