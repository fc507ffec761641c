"""The rows of an export: fixed columns, each with a description. The data dictionary is made from these.

People appear under their code only. `None` means absent; it is never zero, and never an empty text.
"""

from scoring.export.rows.answers import AnswerRow, CriterionRow, JudgeCallRow, PromptRow, ScoreRow
from scoring.export.rows.base import Row
from scoring.export.rows.judges import AgreementRow, AuditResultRow, AuditRow
from scoring.export.rows.people import EventRow, FlagRow, ParticipantRow, SessionRow, VerdictRow
from scoring.export.rows.results import (
    EstimateRow,
    ItemRow,
    MeasurementRow,
    MetricRow,
    ModelRow,
    ModelScoreRow,
    TaskRow,
)

ROW_TYPES: tuple[type[Row], ...] = (
    ParticipantRow,
    SessionRow,
    PromptRow,
    AnswerRow,
    ScoreRow,
    CriterionRow,
    JudgeCallRow,
    FlagRow,
    VerdictRow,
    EstimateRow,
    TaskRow,
    MetricRow,
    MeasurementRow,
    ItemRow,
    ModelRow,
    ModelScoreRow,
    AgreementRow,
    AuditRow,
    AuditResultRow,
    EventRow,
)
