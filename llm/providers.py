"""What each kind of OpenAI-compatible endpoint accepts, as data.

All of them take `response_format` with a JSON schema; they differ in the keywords of the schema, in the field
that limits the reply, and in how a model is told how long to think:

* OpenAI enforces a schema only in strict mode, which wants every object closed and every field required.
  Its reasoning models refuse `max_tokens`.
* Gemini's OpenAI endpoint answers 400 to keywords it does not know, `additionalProperties` among them.
* vLLM and llama.cpp's server turn the schema into a grammar and pass the effort to the model's chat template.
  Releases of llama.cpp's server before August 2026 read the effort from the template's arguments only, and
  before February 2026 `max_tokens` only; later ones read these too.
* Ollama documents `max_tokens` only.
* A generic endpoint is sent nothing that is not understood everywhere.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import cast

from pydantic import BaseModel, JsonValue

from llm.errors import snake_case

Fields = Mapping[str, JsonValue]


class Provider(StrEnum):
    """The kinds of endpoint; the value is what is stored."""

    OPENAI = "openai"
    GEMINI = "gemini"
    VLLM = "vllm"
    OLLAMA = "ollama"
    LLAMA_CPP = "llama-cpp"
    GENERIC = "generic"


class EffortUnsupported(ValueError):
    """A reasoning effort was given that this kind of endpoint cannot be told."""


@dataclass(frozen=True)
class Profile:
    """What may be sent to one kind of endpoint.

    `strict` asks for strict mode: closed objects, every field required. `plain_format` is the
    `response_format` of plain mode, None to send none. `efforts` gives the fields that ask for each effort.
    """

    keywords: frozenset[str]
    plain_format: JsonValue
    limit_field: str = "max_tokens"
    strict: bool = False
    efforts: Mapping[str, Fields] = field(default_factory=dict)


def effort_fields(provider: Provider, effort: str) -> Fields:
    """The request fields that ask `provider` for `effort`; none for "", the model's own default.

    Raises:
        EffortUnsupported: naming the efforts that can be asked for.
    """
    efforts = PROFILES[provider].efforts
    if not effort:
        return {}
    if effort not in efforts:
        raise EffortUnsupported(
            f'A "{provider}" endpoint cannot be asked for the reasoning effort "{effort}". '
            + (f"It takes {', '.join(efforts)}." if efforts else "")
            + " Choose another provider, or give the endpoint's own field among the parameters."
        )
    return efforts[effort]


# Understood by all. Whatever else a schema says (closed objects, say) is checked in the reply.
_COMMON = frozenset({"type", "description", "enum", "minimum", "maximum", "properties", "required", "items"})
_COUNTED = _COMMON | {"minItems", "maxItems"}
_JSON_OBJECT: JsonValue = {"type": "json_object"}


def _named(*efforts: str) -> Mapping[str, Fields]:
    return {effort: {"reasoning_effort": effort} for effort in efforts}


_TEMPLATE_EFFORTS: Mapping[str, Fields] = {
    "none": {"chat_template_kwargs": {"enable_thinking": False}},
    **{
        effort: {"chat_template_kwargs": {"reasoning_effort": effort}} for effort in ("low", "medium", "high")
    },
}

PROFILES: Mapping[Provider, Profile] = {
    Provider.OPENAI: Profile(
        keywords=_COUNTED | {"additionalProperties"},
        limit_field="max_completion_tokens",
        plain_format=_JSON_OBJECT,
        strict=True,
        efforts=_named("none", "minimal", "low", "medium", "high", "xhigh"),
    ),
    Provider.GEMINI: Profile(
        keywords=_COUNTED,
        plain_format=_JSON_OBJECT,
        efforts=_named("none", "minimal", "low", "medium", "high"),
    ),
    Provider.VLLM: Profile(
        keywords=_COUNTED | {"additionalProperties"},
        limit_field="max_completion_tokens",
        plain_format=_JSON_OBJECT,
        efforts=_named("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    ),
    Provider.OLLAMA: Profile(
        keywords=_COUNTED,
        plain_format=_JSON_OBJECT,
        efforts=_named("none", "low", "medium", "high"),
    ),
    Provider.LLAMA_CPP: Profile(
        keywords=_COUNTED | {"additionalProperties"},
        plain_format=_JSON_OBJECT,
        efforts=_TEMPLATE_EFFORTS,
    ),
    # Nothing is known of it: an endpoint that refused one `response_format` may refuse the other.
    Provider.GENERIC: Profile(keywords=_COMMON, plain_format=None),
}

_CACHED = 256  # schemas; a client that makes them on the fly must not fill the memory
_Schema = dict[str, JsonValue]


@lru_cache(_CACHED)
def schema_text(model: type[BaseModel]) -> str:
    """The whole schema as JSON, in the order of its fields: the same for every endpoint.

    Raises:
        ValueError: the model holds itself; such a schema cannot be written out.
    """
    return json.dumps({"name": snake_case(model.__name__), "schema": _whole(model)})


@lru_cache(_CACHED)
def response_format(model: type[BaseModel], provider: Provider = Provider.GENERIC) -> _Schema:
    """Ask `provider` for `model` as JSON. Fields keep their order: reasons are written before a grade.

    Raises:
        ValueError: the model holds itself.
    """
    profile = PROFILES[provider]
    asked: _Schema = {"name": snake_case(model.__name__), "schema": _reduced(_whole(model), profile)}
    if profile.strict:
        asked["strict"] = True
    return {"type": "json_schema", "json_schema": asked}


@lru_cache(_CACHED)
def schema_in_words(model: type[BaseModel]) -> str:
    """The line that takes the place of `response_format` where an endpoint does not accept the schema."""
    schema = json.dumps(_reduced(_whole(model), PROFILES[Provider.GENERIC]))
    return (
        "Reply with one JSON object and nothing else: no text around it and no code fence. "
        f"It must be valid against this JSON schema: {schema}"
    )


def _whole(model: type[BaseModel]) -> _Schema:
    schema = model.model_json_schema()
    nested = cast("Mapping[str, _Schema]", schema.pop("$defs", {}))
    return cast("_Schema", _written_out(schema, nested, within=(model.__name__,)))


def _written_out(value: JsonValue, nested: Mapping[str, _Schema], *, within: tuple[str, ...]) -> JsonValue:
    """Put nested models in the place of the references to them, which not every endpoint follows."""
    if isinstance(value, list):
        return [_written_out(item, nested, within=within) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" not in value:
        return {key: _written_out(item, nested, within=within) for key, item in value.items()}
    name = str(value["$ref"]).rpartition("/")[2]
    if name in within:
        raise ValueError(f"{name} holds itself; the schema of a reply must end somewhere.")
    beside = {key: item for key, item in value.items() if key != "$ref"}
    return {**cast("_Schema", _written_out(nested[name], nested, within=(*within, name))), **beside}


def _reduced(schema: Mapping[str, JsonValue], profile: Profile) -> _Schema:
    """What `profile` may be sent of `schema`."""
    reduced = {keyword: value for keyword, value in schema.items() if keyword in profile.keywords}
    if "const" in schema:
        reduced["enum"] = [schema["const"]]
    if isinstance(items := schema.get("items"), dict):
        reduced["items"] = _reduced(items, profile)
    if isinstance(fields := schema.get("properties"), dict):
        reduced["properties"] = {
            name: _reduced(cast("_Schema", field), profile) for name, field in fields.items()
        }
        if profile.strict:
            reduced |= {"required": list(fields), "additionalProperties": False}
    return reduced
