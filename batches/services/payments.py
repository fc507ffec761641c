"""Handing out the list of whom to pay: it has addresses, so the trail says who took it."""

from datetime import datetime

from batches.selectors.payments import PAYMENT_COLUMNS, payment_rows
from formats.cells import csv_cell
from studies.models import Study, User
from studies.services.events import StudyEventKind, event_record


def payments_list(*, study: Study, actor: User, now: datetime) -> list[list[str]]:
    """The rows of the file, its columns first, safe to open in a spreadsheet program."""
    rows = [[csv_cell(value) for value in row] for row in payment_rows(study, now)]
    event_record(study=study, kind=StudyEventKind.PAYMENTS_LISTED, now=now, actor=actor, number=len(rows))
    return [list(PAYMENT_COLUMNS), *rows]
