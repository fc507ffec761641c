"""The shapes in which OpenAI-compatible servers are known to give a reply, and where its text is in each.

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

What is told has its fault in `llm.errors`. Nothing is searched for in a text: what is taken off it stands at
its very beginning or end, so that no verdict which the model only quotes can be picked up.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, FailFast, Field, JsonValue, TypeAdapter, ValidationError

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
_Count = TypeAdapter(Annotated[int, Field(ge=0, lt=2**31)])


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


def spoken(text: str) -> str:
    """The text without a thought before it and without tokens around it that are no part of it."""
    text = text.removeprefix("\ufeff").strip()
    for _ in range(_MAX_TURN_ENDS):
        ends = next((token for token in _TURN_ENDS if text.endswith(token)), "")
        text = text.removesuffix(ends).rstrip() if ends else text
    for begins in _TURN_BEGINS:
        text = text.removeprefix(begins).lstrip()
    return _unframed(_behind_thought(text))


def _behind_thought(text: str) -> str:
    for begins, ends in _THOUGHTS.items():
        thought, ended, rest = text.partition(ends)
        # Templates may open the thought in the prompt; what only quotes its end is no JSON before it, either.
        if ended and not thought.startswith(("{", "```")):
            return rest.strip()
        if text.startswith(begins):
            return ""
    return text


def _unframed(text: str) -> str:
    for begins, ends in _FRAMES.items():
        if text.startswith(begins) and text.endswith(ends):
            return text[len(begins) : -len(ends)].strip()
    return text


def unwrapped(text: str) -> str:
    """What is to be read as JSON: what is spoken, out of the one fence that may be around all of it."""
    said = spoken(text)
    fenced = _FENCE.fullmatch(said)
    return fenced["inside"] if fenced else said


# How Anthropic-compatible servers name their errors.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def error_in(value: Mapping[str, JsonValue]) -> tuple[int | None, str] | None:
    """The code and the words of the error that a body or a choice says it is; None where it says none."""
    error = value.get("error")
    if not error and value.get("object") == "error":
        error = {name: value.get(name) for name in ("code", "message", "type")}
    if not error:
        return None
    if not isinstance(error, dict):
        return None, str(error)
    code = error.get("code") or error.get("status") or _STATUS_OF_TYPE.get(str(error.get("type")))
    number = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()) else None
    return number, str(error.get("message") or json.dumps(error))


def other_interface(value: JsonValue) -> str:
    """What a whole reply is instead of a chat completion, "" where that is not known."""
    value = value[0] if isinstance(value, list) and value else value
    if not isinstance(value, dict):
        return ""
    first = next((one for one in _listed(value.get("choices")) if isinstance(one, dict)), {})
    message = first.get("message")
    if isinstance(message, dict) and isinstance(message.get("content"), dict):
        return "a message whose content is no text"
    known = {
        "a stream": "delta" in first,
        "a text completion": "text" in first,
        "a reply of Gemini's own interface": "candidates" in value,
        "a reply of Anthropic's own interface": value.get("type") == "message" and "content" in value,
        "a reply of the Responses interface": value.get("object") == "response" or "output" in value,
        "a reply of TGI's own interface": "generated_text" in value,
        "a reply of Ollama's own interface": "done" in value,
    }
    return next((name for name, is_it in known.items() if is_it), "")


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


# What servers say where a request is longer than the model's context.
TOO_LONG = re.compile(
    r"context[_ ]?(?:length|window|size|limit)|context shift is disabled|must have less than \d+ tokens"
    r"|maximum context|exceeds? the (?:available|model'?s?) context"
    r"|(?:input|prompt|request|message)s? (?:(?:is|are) )?too (?:long|large)|(?:entity|payload) too large"
    r"|too many (?:input )?tokens|input token count|exceed_context_size|reduce the length"
    r"|too large for (?:the )?model|max_new_tokens. must be|tokens to keep from the initial prompt"
    r"|maximum (?:prompt|sequence|input) length|longer than the (?:model|maximum)"
    r"|exceeds? max(?:imum)? length|exceeded model token limit|range of input length|input tokens exceed",
    re.IGNORECASE,
)
# Where a provider's filter stopped the request before the model saw it.
FILTERED = re.compile(
    r"content[_ ]filter|content management policy|responsibleaipolicy|data_inspection_failed|moderation"
    r"|was flagged|content_?policy_?violation|usage polic|block_?reason|prohibited_content",
    re.IGNORECASE,
)
# What no waiting mends, though the status is that of a limit or of a request.
NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|budget_exceeded|budget has been exceeded"
    r"|credit balance is too low",
    re.IGNORECASE,
)
NO_ACCESS = re.compile(
    r"api key not valid|(?:invalid|incorrect) api key|model_not_found|invalid model name"
    r"|model \S+ (?:was )?not found|model \S+ does not exist",
    re.IGNORECASE,
)
# The model is gone for now, whatever the status.
MODEL_DOWN = re.compile(
    r"model (?:has )?(?:been )?(?:crashed|unloaded)|failed during generation", re.IGNORECASE
)
NO_SUCH_PATH = re.compile(r"unexpected endpoint", re.IGNORECASE)
# How endpoints name what they do not accept in a schema, or that they take none at all.
NAMES_SCHEMA = re.compile(
    r"schema|response[_ ]?format|json_validate_failed|additionalproperties|structured|guided|grammar",
    re.IGNORECASE,
)
