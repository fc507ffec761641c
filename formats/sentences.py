"""Validation errors as sentences a person who edits the file can act on."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from formats.text_faults import HALF_OF_A_PAIR, TOO_LONG, storage_fault
from formats.wording import gettext_noop


class Fault(TypedDict):
    """What is wrong with one field, as pydantic tells it; `type` and `ctx` choose and fill the sentence."""

    type: str
    loc: tuple[int | str, ...]
    msg: str
    input: Any
    ctx: NotRequired[dict[str, Any]]


JSON_NAMES: Mapping[type, str] = {
    type(None): gettext_noop("null"),
    bool: gettext_noop("true or false"),
    int: gettext_noop("a number"),
    float: gettext_noop("a number"),
    str: gettext_noop("text"),
    list: gettext_noop("a list"),
    tuple: gettext_noop("a list"),
    dict: gettext_noop("an object"),
}

# A longer name or value is somebody's mistake, such as a whole file in one line: its beginning tells which.
MAX_SHOWN = 100

# After these fields pydantic's location names the chosen variant, which is no field of the file.
_UNION_FIELDS = frozenset({"check"})

SENTENCES: Mapping[str, str] = {
    "missing": gettext_noop("is missing; add it"),
    "extra_forbidden": gettext_noop("is not a known field; remove it or correct its name"),
    "string_type": gettext_noop("is {kind}, but text is expected; put it in quotes"),
    "string_unicode": HALF_OF_A_PAIR,
    "string_too_long": TOO_LONG,
    "bool_type": gettext_noop("is {kind}, but true or false is expected"),
    "int_type": gettext_noop("is {kind}, but a whole number is expected"),
    "int_from_float": gettext_noop("has a fraction, but a whole number is expected"),
    "float_type": gettext_noop("is {kind}, but a number is expected"),
    "finite_number": gettext_noop("is not a finite number; write an ordinary number"),
    "too_short": gettext_noop("has too few entries; at least {min_length} is needed"),
    "tuple_type": gettext_noop("is {kind}, but a list is expected"),
    "model_type": gettext_noop("is {kind}, but an object is expected"),
    "model_attributes_type": gettext_noop("is {kind}, but an object is expected"),
    "list_type": gettext_noop("is {kind}, but a list is expected"),
    "dict_type": gettext_noop("is {kind}, but an object is expected"),
    "greater_than": gettext_noop("is {shown}; write a number above {gt}"),
    "greater_than_equal": gettext_noop("is below {ge}; write {ge} or more"),
    "less_than_equal": gettext_noop("is above {le}; write {le} or less"),
    "literal_error": gettext_noop("is {shown}, but {expected} is expected"),
    "union_tag_not_found": gettext_noop('names no kind; add a "kind"'),
    "union_tag_invalid": gettext_noop("has the unknown kind {tag!r}; use one of {expected_tags}"),
}

TOO_MANY_DIGITS = gettext_noop("holds a number of thousands of digits; write an ordinary number")


def error_sentence(error: Fault) -> str:
    """What is wrong with the field and what to write instead; reads on after "<field>: "."""
    sentence = sentence_of(error["type"], error["input"], error.get("ctx", {}))
    return error["msg"] if sentence is None else sentence


def sentence_of(error_type: str, value: object, facts: Mapping[str, object]) -> str | None:
    """The sentence for a kind of error, filled with the value and the facts; None where there is none."""
    # A whole number too large for a float is refused as if it were no number at all.
    too_large = error_type == "float_type" and type(value) is int
    template = SENTENCES.get("finite_number" if too_large else error_type)
    value_text = shortened(repr(value)) if isinstance(value, str | int | float) else json_name(value)
    known = {"kind": json_name(value), "shown": value_text}
    # A bound of 1.0 reads as 1.
    plain = {
        name: int(fact) if isinstance(fact, float) and fact.is_integer() else fact
        for name, fact in facts.items()
    }
    return template and template.format_map(known | plain)


def shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def json_name(value: object) -> str:
    """What a JSON value is called in a sentence."""
    return JSON_NAMES.get(type(value), type(value).__name__)


def text_fault(value: object) -> str | None:
    """What keeps a value from being a text that can be stored, or None."""
    return storage_fault(value) if isinstance(value, str) else sentence_of("string_type", value, {})


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
