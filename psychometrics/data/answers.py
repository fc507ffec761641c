"""Answers as results are computed from them."""

from dataclasses import dataclass


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
