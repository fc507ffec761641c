"""The records of screening, for looking only: flags and verdicts have their page."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from screening.models import AnswerFlag, ParticipantFlag, ScreeningPlan, ScreeningRun, Verdict
from screening.selectors.participants import studies_with_open_verdicts
from studies.admin import ReadOnlyAdmin


class BlindWhileOpen(ReadOnlyAdmin):
    """Records that tell scores: those of a study with open verdicts are left out, as on its pages."""

    study_field: ClassVar[str]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        hidden = {f"{self.study_field}__in": studies_with_open_verdicts()}
        return super().get_queryset(request).exclude(**hidden)


@admin.register(AnswerFlag)
class AnswerFlagAdmin(ReadOnlyAdmin):
    of_prompts = "answers__flags"
    list_display = ["answer", "reason", "rules_version", "flagged_at"]
    list_filter = ["answer__session__participant__study", "reason"]
    list_select_related = ["answer"]


@admin.register(ParticipantFlag)
class ParticipantFlagAdmin(ReadOnlyAdmin):
    list_display = ["participant", "reason", "rules_version", "flagged_at"]
    list_filter = ["participant__study", "reason"]
    list_select_related = ["participant"]


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ["participant", "decision", "reading", "leaves_open", "decided_by", "decided_at"]
    list_filter = ["participant__study", "decision", "reading"]
    list_select_related = ["participant", "decided_by"]


@admin.register(ScreeningRun)
class ScreeningRunAdmin(ReadOnlyAdmin):
    list_display = ["study", "rules_version", "participants", "flagged_people", "started_by", "ran_at"]
    list_filter = ["study"]
    list_select_related = ["study", "started_by"]


@admin.register(ScreeningPlan)
class ScreeningPlanAdmin(ReadOnlyAdmin):
    list_display = ["study", "second_share", "changed_at"]
    list_select_related = ["study"]
