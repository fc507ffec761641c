"""The sheet that raters fill in: a CSV file that spreadsheet programs open, without a word of any judge.

`sample` and `number` say which verdict a line is about, and only these and the rater's own columns are read
back. The last column is never empty: some programs cut empty cells off the ends of lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from formats.cells import BYTE_ORDER_MARK, csv_cell, sheet_line

SAMPLE, NUMBER, SCORE, COMMENT = "sample", "number", "human_score", "comment"
TEXTS = ("prompt", "attachments", "gold_answer", "criterion", "answer")
NOTICE = "notice"
COLUMNS = (SAMPLE, NUMBER, *TEXTS, SCORE, COMMENT, NOTICE)
CONFIDENTIAL = "Confidential: for the raters of this study only."
EXACT = "The answer is the gold answer."


@dataclass(frozen=True)
class SheetRow:
    """One item as raters see it. `criterion` None: the answer is compared with the gold answer as a whole."""

    number: int
    prompt: str
    attachments: tuple[str, ...]
    gold_answer: str | None
    criterion: str | None
    answer: str


def audit_sheet(sample: int, rows: Iterable[SheetRow], *, canaries: Sequence[str]) -> str:
    """The whole file."""
    return BYTE_ORDER_MARK + "".join(map(sheet_line, sheet_cells(sample, rows, canaries=canaries)))


def sheet_cells(sample: int, rows: Iterable[SheetRow], *, canaries: Sequence[str]) -> Iterator[list[str]]:
    """Its cells, the columns first. `canaries` of the prompt bank go into every line."""
    notice = " ".join([CONFIDENTIAL, *canaries])
    yield list(COLUMNS)
    for row in rows:
        texts = (row.prompt, "; ".join(row.attachments), row.gold_answer, row.criterion or EXACT, row.answer)
        yield [csv_cell(value) for value in (sample, row.number, *texts, None, None, notice)]
