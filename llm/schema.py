"""The `response_format` that asks an endpoint for JSON of a given shape."""

import re
from collections.abc import Mapping
from typing import cast

from pydantic import BaseModel, JsonValue

# Endpoints refuse keywords they do not know with a 400: Gemini's, for one, `$schema` and
# `additionalProperties`. These are understood by all; the rest (extra fields, say) is checked in the reply.
KEYWORDS = ("type", "description", "enum", "minimum", "maximum", "properties", "required", "items")


def response_format(model: type[BaseModel]) -> dict[str, JsonValue]:
    """Ask for `model` as JSON. Fields keep their order, so that an explanation is written before its grade.

    Raises:
        ValueError: the model nests another; only flat ones can be asked for.
    """
    schema = model.model_json_schema()
    if "$defs" in schema:
        raise ValueError(f"{model.__name__} nests another model; a reply schema must be flat.")
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", model.__name__).lower()
    return {"type": "json_schema", "json_schema": {"name": name, "schema": _reduced(schema)}}


def _reduced(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    reduced = {keyword: value for keyword, value in schema.items() if keyword in KEYWORDS}
    if isinstance(fields := reduced.get("properties"), dict):
        reduced["properties"] = {name: _reduced(_mapping(field)) for name, field in fields.items()}
    if "items" in reduced:
        reduced["items"] = _reduced(_mapping(reduced["items"]))
    return reduced


def _mapping(value: JsonValue) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", value)
