"""The records of judging, for looking only: scores come from judges."""

from django.contrib import admin

from judging.models import AnswerScore, CriterionScore, JudgeCall, ScoringRun
from screening.admin import BlindWhileOpen
from studies.admin import ReadOnlyAdmin


@admin.register(ScoringRun)
class ScoringRunAdmin(ReadOnlyAdmin):
    list_display = ["study", "judge_kind", "judge_sha256", "started_at", "finished_at"]
    list_filter = ["study"]
    list_select_related = ["study"]


@admin.register(AnswerScore)
class AnswerScoreAdmin(BlindWhileOpen):
    of_prompts = "answers__scores"
    study_field = "run__study"
    list_display = ["answer", "run", "score", "unscored_reason", "judged_at"]
    list_filter = ["run__study", "unscored_reason"]
    list_select_related = ["answer", "run__study"]


@admin.register(CriterionScore)
class CriterionScoreAdmin(BlindWhileOpen):
    of_prompts = "answers__criterion_scores"
    study_field = "run__study"
    list_display = ["answer", "criterion", "run", "state", "score", "confidence", "unscored_reason"]
    list_filter = ["run__study", "state", "unscored_reason"]
    list_select_related = ["answer", "criterion", "run__study", "run__config"]


@admin.register(JudgeCall)
class JudgeCallAdmin(BlindWhileOpen):
    of_prompts = "answers__judge_calls"
    study_field = "run__study"
    list_display = ["answer", "criterion", "model", "outcome", "latency_ms", "called_at"]
    list_filter = ["run__study", "outcome"]
    list_select_related = ["answer", "criterion"]
