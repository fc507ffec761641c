"""What was read of an uploaded question bank, kept beside the upload until somebody stores it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from console.services.staging import note_kept
from presentation.codes import CodeNames
from presentation.tables import Named


@dataclass(frozen=True)
class BankContents:
    """What was read of a bank, before it is stored: how many questions of which kinds, and the problems, of
    which the first are in `problems`.
    """

    prompts: int
    grading: dict[str, int]
    modality: dict[str, int]
    categories: Sequence[tuple[str, int]]
    category_names: dict[str, str]
    problems: Sequence[str]
    problems_number: int
    first: Sequence[str]
    notices: Sequence[str] = ()

    @property
    def named_categories(self) -> list[tuple[Named, int]]:
        names = CodeNames(self.category_names)
        return [(names.category(code), number) for code, number in self.categories]


def bank_contents_kept(token: str) -> tuple[BankContents, dict[str, Any]]:
    """What was found in an upload, and what was chosen for it. Raises UploadRefused where it is gone."""
    note = note_kept(token)
    return BankContents(**note["contents"]), note["chosen"]
