"""The records of scoring, for looking only: flags and verdicts have their page, scores come from judges."""

from django.contrib import admin

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
from studies.admin import LookingOnly


@admin.register(ScoringRun)
class ScoringRunAdmin(LookingOnly):
    list_display = ["study", "judge_kind", "judge_sha256", "started_at", "finished_at"]
    list_filter = ["study"]
    list_select_related = ["study"]


@admin.register(AnswerScore)
class AnswerScoreAdmin(LookingOnly):
    list_display = ["answer", "run", "score", "unscored_reason", "judged_at"]
    list_filter = ["run__study", "unscored_reason"]
    list_select_related = ["answer", "run__study"]


@admin.register(CriterionScore)
class CriterionScoreAdmin(LookingOnly):
    list_display = ["answer", "criterion", "run", "state", "score", "confidence", "unscored_reason"]
    list_filter = ["run__study", "state", "unscored_reason"]
    list_select_related = ["answer", "criterion", "run__study", "run__config"]


@admin.register(JudgeCall)
class JudgeCallAdmin(LookingOnly):
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
class ResultSetAdmin(LookingOnly):
    list_display = ["run", "inputs_sha256", "computed_at"]
    list_filter = ["run__study"]
    list_select_related = ["run__study"]


@admin.register(Estimate)
class EstimateAdmin(LookingOnly):
    list_display = ["result_set", "group", "category", "theta", "se", "pairs", "missing", "unscored"]
    list_filter = ["result_set__run__study", "group"]
    list_select_related = ["result_set__run__study"]
