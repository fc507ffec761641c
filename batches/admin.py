"""Everything of batches can be looked at and nothing changed: the trail must stay what happened."""

from django.contrib import admin

from batches.models import Answer, Batch, BatchPlan, BatchPrompt, Revision, Session, SessionEvent
from studies.admin import ReadOnlyAdmin, ReadOnlyRecords


@admin.register(BatchPlan)
class BatchPlanAdmin(ReadOnlyAdmin):
    list_display = ["study", "assembly", "seed", "batch_size", "built_at"]
    list_select_related = ["study"]


class BatchPromptInline(ReadOnlyRecords, admin.TabularInline):  # type: ignore[type-arg]
    model = BatchPrompt


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    of_prompts = "places__batch"
    list_display = ["plan", "number"]
    list_filter = ["plan__study"]
    list_select_related = ["plan__study"]
    inlines = [BatchPromptInline]


class SessionEventInline(ReadOnlyRecords, admin.TabularInline):  # type: ignore[type-arg]
    model = SessionEvent


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ["reference", "participant", "batch", "status", "started_at", "deadline_at", "ended_at"]
    list_filter = ["status", "participant__study"]
    list_select_related = ["participant", "batch"]
    inlines = [SessionEventInline]


class RevisionInline(ReadOnlyRecords, admin.TabularInline):  # type: ignore[type-arg]
    model = Revision


@admin.register(Answer)
class AnswerAdmin(ReadOnlyAdmin):
    of_prompts = "answers"
    list_display = ["session", "position", "prompt", "revision", "has_text", "saved_at"]
    list_filter = ["session__participant__study"]
    list_select_related = ["session__participant", "prompt"]
    inlines = [RevisionInline]
