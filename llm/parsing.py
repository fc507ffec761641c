"""From the text of a reply to the JSON that was asked for.

The whole text is read, as one JSON value. Nothing around it is tolerated, so that no verdict which the model
only quotes can be picked up; nor is a key that is given twice, of which a parser would silently keep one.
"""

import json
import re
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from llm.errors import ReplyInvalid, ReplyOffSchema, ReplyOutOfRange
from llm.replies import ReplyText
from llm.texts import storable

Schema = TypeVar("Schema", bound=BaseModel)

NAMED_PROBLEMS = 5
MAX_PROBLEMS = 1000
_NAME_CHARACTERS = 60
_OUT_OF_RANGE = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})
# The fence many models put around JSON when no schema holds them. JSON has no line that starts with ```.
_FENCE = re.compile(r"\s*```json[ \t]*\r?\n(?P<inside>.*?)\r?\n[ \t]*```\s*", re.DOTALL)


def parse(reply: ReplyText, schema: type[Schema], *, endpoint: str, plain: bool = False) -> Schema:
    """Validate the whole text as JSON. In plain mode the whole text may stand in one fence marked as JSON.

    Raises:
        ReplyOffSchema, ReplyOutOfRange: naming the fields that are wrong.
    """
    text = _unfenced(reply.text) if plain else reply.text
    kind: type[ReplyInvalid] = ReplyOffSchema
    try:
        parsed = schema.model_validate_json(text)
        problem = _given_twice(text)
        if not problem:
            return parsed
    except ValidationError as error:
        # Each problem takes about a kilobyte to list, and a hostile reply has as many as it has fields.
        few = error.error_count() <= MAX_PROBLEMS
        problems = error.errors(include_input=False, include_url=False) if few else []
        problem = (
            "; ".join(_in_words(one) for one in problems[:NAMED_PROBLEMS]) or "hardly any field is right"
        )
        if few and all(one["type"] in _OUT_OF_RANGE for one in problems):
            kind = ReplyOutOfRange
    problem = storable(problem)
    message = f"The reply of {endpoint} is not a {schema.__name__}: {problem}"
    raise kind(message, reply.received, text=reply.text, problem=problem)


def _unfenced(text: str) -> str:
    fenced = _FENCE.fullmatch(text)
    return fenced["inside"] if fenced else text


def _given_twice(text: str) -> str:
    """The problem with the keys of valid JSON, or ""."""
    twice: list[str] = []

    def note(pairs: list[tuple[str, JsonValue]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            twice.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)

    json.loads(text, object_pairs_hook=note)
    return f"{twice[0][:_NAME_CHARACTERS]}: given twice" if twice else ""


def _in_words(problem: ErrorDetails) -> str:
    place = ".".join(str(part)[:_NAME_CHARACTERS] for part in problem["loc"][:NAMED_PROBLEMS])
    return f"{place or 'reply'}: {problem['msg']}"
