"""The rows of an export: fixed columns, each with a description. The data dictionary is made from these.

People appear under their code only. `None` means absent; it is never zero, and never an empty text.
"""

from scoring.export.rows import answers, judges, people, results
from scoring.export.rows.base import Row

ROW_TYPES: tuple[type[Row], ...] = (
    people.ParticipantRow,
    people.SessionRow,
    answers.PromptRow,
    answers.AnswerRow,
    answers.ScoreRow,
    answers.CriterionRow,
    answers.JudgeCallRow,
    people.FlagRow,
    people.VerdictRow,
    results.EstimateRow,
    results.TaskRow,
    results.MetricRow,
    results.MeasurementRow,
    results.ItemRow,
    results.ModelRow,
    results.ModelScoreRow,
    judges.AgreementRow,
    judges.AuditRow,
    judges.AuditResultRow,
    people.EventRow,
)
