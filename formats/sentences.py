"""Validation errors as sentences a person who edits the file can act on."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from formats.text_faults import HALF_OF_A_PAIR, TOO_LONG, storage_fault


class Fault(TypedDict):
    """What is wrong with one field, as pydantic tells it; `type` and `ctx` choose and fill the sentence."""

    type: str
    loc: tuple[int | str, ...]
    msg: str
    input: Any
    ctx: NotRequired[dict[str, Any]]


_JSON_NAMES: Mapping[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    tuple: "a list",
    dict: "an object",
}

# A longer name or value is somebody's mistake, such as a whole file in one line: its beginning tells which.
MAX_SHOWN = 100

# After these fields pydantic's location names the chosen variant, which is no field of the file.
_UNION_FIELDS = frozenset({"check"})

_SENTENCES: Mapping[str, str] = {
    "missing": "is missing; add it",
    "extra_forbidden": "is not a known field; remove it or correct its name",
    "string_type": "is {kind}, but text is expected; put it in quotes",
    "string_unicode": HALF_OF_A_PAIR,
    "string_too_long": TOO_LONG,
    "bool_type": "is {kind}, but true or false is expected",
    "int_type": "is {kind}, but a whole number is expected",
    "int_from_float": "has a fraction, but a whole number is expected",
    "float_type": "is {kind}, but a number is expected",
    "finite_number": "is not a finite number; write an ordinary number",
    "too_short": "has too few entries; at least {min_length} is needed",
    "tuple_type": "is {kind}, but a list is expected",
    "model_type": "is {kind}, but an object is expected",
    "model_attributes_type": "is {kind}, but an object is expected",
    "list_type": "is {kind}, but a list is expected",
    "dict_type": "is {kind}, but an object is expected",
    "greater_than": "is {shown}; write a number above {gt}",
    "greater_than_equal": "is below {ge}; write {ge} or more",
    "less_than_equal": "is above {le}; write {le} or less",
    "literal_error": "is {shown}, but {expected} is expected",
    "union_tag_not_found": 'names no kind; add a "kind"',
    "union_tag_invalid": "has the unknown kind {tag!r}; use one of {expected_tags}",
}


def error_sentence(error: Fault) -> str:
    """What is wrong with the field and what to write instead; reads on after "<field>: "."""
    sentence = sentence_of(error["type"], error["input"], error.get("ctx", {}))
    return error["msg"] if sentence is None else sentence


def sentence_of(error_type: str, value: object, facts: Mapping[str, object]) -> str | None:
    """The sentence for a kind of error, filled with the value and the facts; None where there is none."""
    # A whole number too large for a float is refused as if it were no number at all.
    too_large = error_type == "float_type" and type(value) is int
    template = _SENTENCES.get("finite_number" if too_large else error_type)
    shown = shortened(repr(value)) if isinstance(value, str | int | float) else json_name(value)
    known = {"kind": json_name(value), "shown": shown}
    return template and template.format_map(known | {name: _plain(fact) for name, fact in facts.items()})


def _plain(fact: object) -> object:
    return int(fact) if isinstance(fact, float) and fact.is_integer() else fact


def shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def json_name(value: object) -> str:
    """What a JSON value is called in a sentence."""
    return _JSON_NAMES.get(type(value), type(value).__name__)


def text_fault(value: object) -> str | None:
    """What keeps a value from being a text that can be stored, or None."""
    if not isinstance(value, str):
        return f"is {json_name(value)}, but text is expected; put it in quotes"
    return storage_fault(value)


def field_path(location: tuple[int | str, ...]) -> str:
    """A readable path such as `criteria[2].check.value`; list entries count from 1."""
    path = ""
    previous: int | str = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part + 1}]"
        elif previous not in _UNION_FIELDS:
            path += f".{shortened(part)}" if path else shortened(part)
        previous = part
    return path
