"""Agreement of judges as export rows."""

from collections.abc import Iterator, Mapping

from django.db.models import Exists, OuterRef

from psychometrics.agreement.measures import pair_rows, panel_rows
from scoring.export.rows.judges import AgreementRow
from scoring.models import JudgeComparison, MeasureRow
from scoring.selectors.agreements import study_agreements
from scoring.selectors.export_answers import run_numbers
from studies.models import Study


def agreement_rows(study: Study) -> Iterator[AgreementRow]:
    """Every stored statistic that may leave the site, pair by pair."""
    numbers = run_numbers(study)
    leaving = MeasureRow.objects.filter(comparison=OuterRef("pk"), may_leave=True)
    for row in study_agreements(study).filter(Exists(leaving)):
        yield from rows_of_panel(row, numbers) if row.level == "panel" else rows_of_pair(row, numbers)


def rows_of_pair(row: JudgeComparison, numbers: Mapping[int, int]) -> Iterator[AgreementRow]:
    x, y = numbers[row.first_id], numbers[row.second_id]
    runs = {"": [x, y], "x": [x], "y": [y]}
    for found in pair_rows(row.level, row.values):
        of = found.pop("of")
        yield AgreementRow(scope=row.scope, x_run=x, y_run=y, runs=runs[of], **found)


def rows_of_panel(row: JudgeComparison, numbers: Mapping[int, int]) -> Iterator[AgreementRow]:
    runs = [numbers[pk] for pk in row.values["runs"]]
    for found in panel_rows(row.values["levels"]):
        yield AgreementRow(scope=row.scope, x_run=None, y_run=None, runs=runs, **found)
