"""Texts and numbers as fields of pydantic models: what every database stores, nothing blank that counts."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, FiniteFloat, Strict
from pydantic_core import PydanticCustomError

from formats.text_faults import BLANK, MAX_LABEL_CHARACTERS, id_fault, label_fault, storage_fault


def _without(fault_of: Callable[[str], str | None]) -> AfterValidator:
    """Refuse texts in which `fault_of` finds something wrong, in its words."""

    def checked(text: str) -> str:
        if fault := fault_of(text):
            raise PydanticCustomError("unfit_text", "{fault}", {"fault": fault})
        return text

    return AfterValidator(checked)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank_text", BLANK)
    return text


def _not_empty(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        raise PydanticCustomError("no_entries", "has no entries; write at least one")
    return texts


Text = Annotated[str, _without(storage_fault)]
FilledText = Annotated[Text, AfterValidator(_not_blank)]
PromptId = Annotated[str, _without(id_fault)]
Label = Annotated[str, _without(partial(label_fault, most=MAX_LABEL_CHARACTERS))]
StrictNumber = Annotated[FiniteFloat, Strict()]
Texts = Annotated[tuple[FilledText, ...], AfterValidator(_not_empty)]
