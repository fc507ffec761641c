"""What places of batches are called: who was asked what, and what became of it; answers behind results."""

from dataclasses import dataclass
from enum import StrEnum

PUBLIC = "public"  # the split whose prompts and answers may be shown to anybody


class Outcome(StrEnum):
    """What became of a place. Only the first has a score; none of the others is zero."""

    SCORED = "scored"
    UNSCORED = "unscored"  # there is an answer, the judge gave no valid verdict
    SKIPPED = "skipped"  # shown, and left or made empty
    NOT_REACHED = "not_reached"  # never shown
    NOT_SUBMITTED = "not_submitted"  # saved, but the study counts only what was handed in


ABSENT = (Outcome.SKIPPED, Outcome.NOT_REACHED, Outcome.NOT_SUBMITTED)  # places without an answer that counts


@dataclass(frozen=True)
class Person:
    """Whom rows belong to. `retained`: no exclusion is confirmed. `arm`: empty where none are compared."""

    code: str
    profile: str = ""
    retained: bool = True
    arm: str = ""


@dataclass(frozen=True)
class AskedPrompt:
    """What rows ask, with what results may be split by.

    `criteria` is how many an answer is judged by: 0 or 1 where it is right or wrong, None where nobody said.
    """

    prompt_id: str
    category: str = ""
    subcategory: str = ""
    modality: str = ""
    split: str = "public"
    task: str = ""
    labels: tuple[str, ...] = ()
    criteria: int | None = 0


@dataclass(frozen=True, slots=True)
class ResultAnswer:
    """One place of a retained participant's batch, which has this number.

    `counts`: there is an answer and it goes to the judge. `score`: None where it is missing or unscored.
    """

    participant: str
    prompt_id: str
    task: str
    batch: int
    counts: bool
    score: float | None
