"""One byte form per JSON value, so that equal content has an equal hash on every machine."""

import hashlib
import json
from typing import TypeAlias


def canonical_json(value: object) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces. NaN and infinities raise ValueError."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def canonical_sha256(value: object) -> str:
    """Lower-case hex sha256 of the canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
