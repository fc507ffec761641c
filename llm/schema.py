"""A reply's schema: as it is asked for, as it is described in words, and as it enters a request's hash."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from pydantic import BaseModel, JsonValue

from llm.errors import snake_case
from llm.providers import PROFILES, Profile, Provider

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
