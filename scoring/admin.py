"""The records of scoring, for looking only: flags and verdicts have their page, scores come from judges."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from scoring.models import (
    AnswerFlag,
    AnswerScore,
    CriterionScore,
    Estimate,
    JudgeCall,
    ParticipantFlag,
    ResultSet,
    ScoringRun,
    Verdict,
)
from scoring.selectors.participants import studies_with_open_verdicts
from studies.admin import LookingOnly


class BlindWhileOpen(LookingOnly):
    """Records that tell scores: those of a study with open verdicts are left out, as on its pages."""

    study_field: ClassVar[str]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        hidden = {f"{self.study_field}__in": studies_with_open_verdicts()}
        return super().get_queryset(request).exclude(**hidden)


@admin.register(ScoringRun)
class ScoringRunAdmin(LookingOnly):
    list_display = ["study", "judge_kind", "judge_sha256", "started_at", "finished_at"]
    list_filter = ["study"]
    list_select_related = ["study"]


@admin.register(AnswerScore)
class AnswerScoreAdmin(BlindWhileOpen):
    study_field = "run__study"
    list_display = ["answer", "run", "score", "unscored_reason", "judged_at"]
    list_filter = ["run__study", "unscored_reason"]
    list_select_related = ["answer", "run__study"]


@admin.register(CriterionScore)
class CriterionScoreAdmin(BlindWhileOpen):
    study_field = "run__study"
    list_display = ["answer", "criterion", "run", "state", "score", "confidence", "unscored_reason"]
    list_filter = ["run__study", "state", "unscored_reason"]
    list_select_related = ["answer", "criterion", "run__study", "run__config"]


@admin.register(JudgeCall)
class JudgeCallAdmin(BlindWhileOpen):
    study_field = "run__study"
    list_display = ["answer", "criterion", "model", "outcome", "latency_ms", "called_at"]
    list_filter = ["run__study", "outcome"]
    list_select_related = ["answer", "criterion"]


@admin.register(AnswerFlag)
class AnswerFlagAdmin(LookingOnly):
    list_display = ["answer", "reason", "rules_version", "flagged_at"]
    list_filter = ["answer__session__participant__study", "reason"]
    list_select_related = ["answer"]


@admin.register(ParticipantFlag)
class ParticipantFlagAdmin(LookingOnly):
    list_display = ["participant", "reason", "rules_version", "flagged_at"]
    list_filter = ["participant__study", "reason"]
    list_select_related = ["participant"]


@admin.register(Verdict)
class VerdictAdmin(LookingOnly):
    list_display = ["participant", "decision", "decided_by", "decided_at"]
    list_filter = ["participant__study", "decision"]
    list_select_related = ["participant", "decided_by"]


@admin.register(ResultSet)
class ResultSetAdmin(BlindWhileOpen):
    study_field = "run__study"
    list_display = ["run", "inputs_sha256", "computed_at"]
    list_filter = ["run__study"]
    list_select_related = ["run__study"]


@admin.register(Estimate)
class EstimateAdmin(BlindWhileOpen):
    study_field = "result_set__run__study"
    list_display = ["result_set", "group", "category", "theta", "se", "pairs", "missing", "unscored"]
    list_filter = ["result_set__run__study", "group"]
    list_select_related = ["result_set__run__study"]
