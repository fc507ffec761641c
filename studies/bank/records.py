"""A prompt bank in memory: the one form every file format is read into.

The models are frozen, refuse unknown fields and hold only what can be stored as UTF-8 text in a database.
A blank answer, criterion or id is an error here, so nothing downstream has to ask whether "" means "absent".
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from formats.texts import FilledText, Label, PromptId, StrictNumber, Text, Texts

PDF_TYPE = "application/pdf"
BankFormat = Literal["chiron", "gim", "bbeh", "bbh"]
BANK_FORMATS: tuple[BankFormat, ...] = get_args(BankFormat)


class Record(BaseModel):
    """Base of every record: frozen, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ContainsCheck(Record):
    """Passes when the answer contains at least one of the texts."""

    kind: Literal["contains"] = "contains"
    any_of: Texts
    ignore_case: StrictBool = True


class ExcludesCheck(Record):
    """Passes when the answer contains none of the texts."""

    kind: Literal["excludes"] = "excludes"
    none_of: Texts
    ignore_case: StrictBool = True


class NumberCheck(Record):
    """Passes when some number in the answer differs from `value` by at most `tolerance`."""

    kind: Literal["number"] = "number"
    value: StrictNumber
    tolerance: Annotated[StrictNumber, Field(ge=0)] = 0.0


class WordCountCheck(Record):
    """Passes when the answer has at least `minimum` and at most `maximum` words; either may be open."""

    kind: Literal["word_count"] = "word_count"
    minimum: Annotated[StrictInt, Field(ge=0)] | None = None
    maximum: Annotated[StrictInt, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _bounds_make_sense(self) -> Self:
        if self.minimum is None and self.maximum is None:
            raise PydanticCustomError("open_bounds", "needs a minimum, a maximum or both")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise PydanticCustomError("crossed_bounds", "has a minimum above its maximum")
        return self


class EqualsCheck(Record):
    """Passes when the whole answer, normalised, is one of the texts."""

    kind: Literal["equals"] = "equals"
    any_of: Texts


Check = Annotated[
    ContainsCheck | ExcludesCheck | NumberCheck | WordCountCheck | EqualsCheck, Field(discriminator="kind")
]


class CriterionRecord(Record):
    """One rubric criterion; `check` lets a machine decide it without a judge."""

    text: FilledText
    check: Check | None = None


class AttachmentRecord(Record):
    """A file that belongs to a prompt. `path` is relative to the bank's folder, with forward slashes."""

    name: FilledText
    path: FilledText
    media_type: str
    size_bytes: int
    sha256: str


class PromptRecord(Record):
    """One prompt with everything needed to show it and to grade an answer to it."""

    prompt_id: PromptId
    text: FilledText
    text_format: Literal["plain", "markdown"] = "plain"
    gold_answer: FilledText | None = None
    criteria: tuple[CriterionRecord, ...] = ()
    category: Label = ""
    subcategory: Label = ""
    task: Label = ""
    labels: tuple[FilledText, ...] = ()
    split: Literal["public", "private"] = "public"
    attachments: tuple[AttachmentRecord, ...] = ()
    solution: Text = ""
    citations: Text = ""

    @property
    def modality(self) -> Literal["text", "image", "pdf", "mixed"]:
        """What besides text a reader must be able to open; "mixed" is images together with PDFs."""
        types = {attachment.media_type for attachment in self.attachments}
        if not types:
            return "text"
        if PDF_TYPE not in types:
            return "image"
        return "pdf" if types == {PDF_TYPE} else "mixed"

    @property
    def grading(self) -> Literal["rubric", "exact"]:
        """Decided by the prompt alone: one or more criteria means rubric (GIM paper, appendix D.8)."""
        return "rubric" if self.criteria else "exact"


class BankRecord(Record):
    """A whole bank. `name`, and `category_names` by category or sub-category, are labels for people and no
    part of the content.
    """

    format: BankFormat
    prompts: tuple[PromptRecord, ...]
    canaries: tuple[Text, ...] = ()
    name: Text = ""
    category_names: Mapping[str, str] = {}
