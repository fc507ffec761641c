"""A rated audit sheet on its way back: CSV as spreadsheet programs write it, with all its problems."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from formats.csv_tables import CsvTable, read_csv_table
from formats.problems import Problem
from judging.audit_sheet import COLUMNS, COMMENT, NUMBER, SAMPLE, SCORE
from judging.services.audit_ratings import RatingReading, RatingRow
from presentation.problems import in_words, told

MAX_BYTES = 20 * 1024 * 1024
COMMENT_CHARACTERS = 5_000
REQUIRED = (SAMPLE, NUMBER, SCORE)
WHOLE = re.compile(r"[0-9]{1,9}")
SHARE = re.compile(r"[0-9]{0,9}[.,]?[0-9]{1,18}|[0-9]{1,9}[.,]")


def read_ratings(content: bytes) -> RatingReading:
    """The lines of the sheet and every problem of its form; numbers are checked on import."""
    if len(content) > MAX_BYTES:
        return RatingReading((), (told(None, "", _("the file is larger than 20 MB; is it the right one?")),))
    table = read_csv_table(content, required=REQUIRED, codes=REQUIRED, known=COLUMNS, long_cells=True)
    rows: list[RatingRow] = []
    problems: list[Problem] = [*in_words(table.problems)]
    for line, values in table.rows:
        refusals = list(_problems(line, values, table))
        problems += refusals
        if refusals:
            continue
        score, comment = values[SCORE], values.get(COMMENT, "").replace("\r\n", "\n")
        share = _share(score) if score else None
        rows.append(RatingRow(line, int(values[SAMPLE]), int(values[NUMBER]), share, comment))
    problems.sort(key=lambda problem: problem.line or 0)
    if not rows and not problems:
        problems.append(told(None, "", _("the sheet has no line below its columns")))
    return RatingReading(tuple(rows), tuple(problems))


def _problems(line: int, values: dict[str, str], table: CsvTable) -> Iterator[Problem]:
    for name in (SAMPLE, NUMBER):
        if not WHOLE.fullmatch(values[name]):
            message = _("“%s” is no number of the sheet; leave it as it was")
            yield told(line, name, message % values[name][:40])
    score = values[SCORE]
    if score and not (SHARE.fullmatch(score) and 0 <= _share(score) <= 1):
        message = _("“%s” is no number between 0 and 1, such as 0.5; nothing means: not rated yet")
        yield told(line, SCORE, message % score[:40])
    comment = values.get(COMMENT, "")
    decimals = table.decimals_beside(values, SCORE)
    if score == "0" and decimals:
        message = _(
            "“0” is followed by the comment “%(comment)s”; write 0.%(comment)s, or 0.0 if that is meant"
        )
        yield told(line, SCORE, message % {"comment": decimals})
    if len(comment) > COMMENT_CHARACTERS:
        yield told(line, COMMENT, _("is longer than 5,000 characters; shorten it"))


def _share(text: str) -> float:
    """Spreadsheet programs of many countries write 0,5."""
    return float(text.replace(",", "."))
