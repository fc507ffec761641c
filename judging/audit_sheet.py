"""The sheet that raters fill in: a CSV file that spreadsheet programs open, without a word of any judge.

`sample` and `number` say which verdict a line is about, and only these and the rater's own columns are read
back. The last column is never empty: some programs cut empty cells off the ends of lines.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO

from formats.cells import csv_cell

SAMPLE, NUMBER, SCORE, COMMENT = "sample", "number", "human_score", "comment"
TEXTS = ("prompt", "attachments", "gold_answer", "criterion", "answer")
NOTICE = "notice"
COLUMNS = (SAMPLE, NUMBER, *TEXTS, SCORE, COMMENT, NOTICE)
CONFIDENTIAL = "Confidential: for the raters of this study only."
EXACT = "The answer is the gold answer."
BYTE_ORDER_MARK = "\ufeff"  # tells spreadsheet programs that the file is UTF-8


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
    """The whole file. `canaries` of the prompt bank go into every line."""
    notice = " ".join([CONFIDENTIAL, *canaries])
    file = StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        texts = (row.prompt, "; ".join(row.attachments), row.gold_answer, row.criterion or EXACT, row.answer)
        writer.writerow(csv_cell(value) for value in (sample, row.number, *texts, None, None, notice))
    return BYTE_ORDER_MARK + file.getvalue()
