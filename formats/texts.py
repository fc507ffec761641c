"""Texts and numbers as files may hold them: what every database stores, nothing blank where it counts."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, FiniteFloat, Strict
from pydantic_core import PydanticCustomError

MAX_ID_CHARACTERS = 200
MAX_LABEL_CHARACTERS = 100
MAX_SET_NAME_CHARACTERS = 20
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storage_fault(text: str) -> str | None:
    """What keeps a text from being stored everywhere, in words, or None.

    PostgreSQL stores no NUL and UTF-8 no half of a surrogate pair; all databases must hold the same bank.
    """
    if "\0" in text:
        return "contains a NUL character (U+0000); remove it"
    if _LONE_SURROGATE.search(text):
        return "contains half of a surrogate pair, which is no character; remove it"
    return None


def _storable(text: str) -> str:
    fault = storage_fault(text)
    if fault is not None:
        raise PydanticCustomError("unstorable", "{fault}", {"fault": fault})
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank_text", "is blank; write something or leave the entry out")
    return text


def _not_empty(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        raise PydanticCustomError("no_entries", "has no entries; write at least one")
    return texts


def _trimmed(text: str) -> str:
    if text != text.strip():
        raise PydanticCustomError("untrimmed_id", "begins or ends with white space; remove it")
    return text


Text = Annotated[str, AfterValidator(_storable)]
FilledText = Annotated[Text, AfterValidator(_not_blank)]
PromptId = Annotated[
    str,
    Field(max_length=MAX_ID_CHARACTERS),
    AfterValidator(_storable),
    AfterValidator(_not_blank),
    AfterValidator(_trimmed),
]
Label = Annotated[str, Field(max_length=MAX_LABEL_CHARACTERS), AfterValidator(_storable)]
SetName = Annotated[str, Field(max_length=MAX_SET_NAME_CHARACTERS), AfterValidator(_storable)]
StrictNumber = Annotated[FiniteFloat, Strict()]
Texts = Annotated[tuple[FilledText, ...], AfterValidator(_not_empty)]
