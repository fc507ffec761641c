"""Texts and numbers as fields of pydantic models: what every database stores, nothing blank that counts."""

from typing import Annotated

from pydantic import AfterValidator, Field, FiniteFloat, Strict
from pydantic_core import PydanticCustomError

from formats.text_faults import (
    BLANK,
    MAX_ID_CHARACTERS,
    MAX_LABEL_CHARACTERS,
    MAX_SET_NAME_CHARACTERS,
    UNTRIMMED,
    storage_fault,
)


def _storable(text: str) -> str:
    fault = storage_fault(text)
    if fault is not None:
        raise PydanticCustomError("unstorable", "{fault}", {"fault": fault})
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank_text", BLANK)
    return text


def _not_empty(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        raise PydanticCustomError("no_entries", "has no entries; write at least one")
    return texts


def _trimmed(text: str) -> str:
    if text != text.strip():
        raise PydanticCustomError("untrimmed_id", UNTRIMMED)
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
