"""What the judge says: every field that was asked for, decided by a hash of the messages. It means nothing.

Two criteria in three are met in full and one in six in half; two exact answers in three are correct.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EXPLANATION = "Made by a test server from a hash of the request; it means nothing."
SCORES = (1.0, 1.0, 1.0, 1.0, 0.5, 0.0)
STEMS = ("explanation", "score", "confidence", "grade")
FIRST_JUDGE = "A"

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Opinion:
    """Whose verdicts these are: `agreement` is the share of verdicts taken over from the first judge.

    The rest is the judge's own, and may by chance be the same.
    """

    judge: str = FIRST_JUDGE
    agreement: float = 1.0

    def of(self, digest: bytes) -> bytes:
        if self.judge == FIRST_JUDGE:
            return digest
        own = hashlib.sha256(self.judge.encode() + digest).digest()
        return digest if share(own[24:]) < self.agreement else own


def share(digest: bytes) -> float:
    """A number in [0, 1) from the first eight bytes."""
    return int.from_bytes(digest[:8], "big") / 2**64


def verdict(digest: bytes, fields: Mapping[str, Schema], opinion: Opinion) -> dict[str, Any]:
    """A value for each of `fields`, in their order; fields with the same ending belong to one criterion."""
    filled: dict[str, Any] = {}
    opinions: dict[str, bytes] = {}
    for name, schema in fields.items():
        stem = next((stem for stem in STEMS if name.startswith(stem)), "")
        ending = name[len(stem) :] if stem else name
        if ending not in opinions:
            opinions[ending] = opinion.of(_criterion(digest, ending if stem else ""))
        filled[name] = _value(stem, schema, opinions[ending], opinion)
    return filled


def _criterion(digest: bytes, ending: str) -> bytes:
    return hashlib.sha256(digest + ending.encode()).digest() if ending else digest


def _value(stem: str, schema: Schema, digest: bytes, opinion: Opinion) -> Any:
    if stem == "explanation":
        return EXPLANATION
    if stem == "grade":
        options = schema.get("enum") or ("CORRECT", "INCORRECT")
        return options[0] if digest[0] % 3 else options[-1]
    if stem == "score":
        return _scaled(SCORES[digest[1] % 6], schema)
    if stem == "confidence":
        return _scaled((80 + 5 * (digest[2] % 5)) / 100, schema)
    return _any(schema, digest, opinion)


def _scaled(number: float, schema: Schema) -> Any:
    """A number between 0 and 1 on the scale of the field, if the schema names both of its ends."""
    if options := schema.get("enum"):
        return sorted(options)[round(number * (len(options) - 1))]
    if "minimum" in schema and "maximum" in schema:
        number = schema["minimum"] + number * (schema["maximum"] - schema["minimum"])
    return round(number) if schema.get("type") == "integer" else number


def _any(schema: Schema, digest: bytes, opinion: Opinion) -> Any:
    if options := schema.get("enum"):
        return options[digest[3] % len(options)]
    if fields := schema.get("properties"):
        return verdict(digest, fields, opinion)
    values = {"boolean": bool(digest[3] % 2), "integer": 0, "number": 0.0, "array": [], "null": None}
    return values.get(str(schema.get("type")), EXPLANATION)
