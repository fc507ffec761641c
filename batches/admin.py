"""Everything of batches can be looked at and nothing changed: the trail must stay what happened."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from batches.models import Answer, Batch, BatchPlan, BatchPrompt, Revision, Session, SessionEvent


class ReadOnlyRecords:
    """No adding, changing or deleting, whoever asks."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(BatchPlan)
class BatchPlanAdmin(ReadOnlyRecords, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["study", "assembly", "seed", "batch_size", "built_at"]
    list_select_related = ["study"]


class BatchPromptInline(ReadOnlyRecords, admin.TabularInline):  # type: ignore[type-arg]
    model = BatchPrompt


@admin.register(Batch)
class BatchAdmin(ReadOnlyRecords, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["plan", "number"]
    list_filter = ["plan__study"]
    list_select_related = ["plan__study"]
    inlines = [BatchPromptInline]


class SessionEventInline(ReadOnlyRecords, admin.TabularInline):  # type: ignore[type-arg]
    model = SessionEvent


@admin.register(Session)
class SessionAdmin(ReadOnlyRecords, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["reference", "participant", "batch", "status", "started_at", "deadline_at", "ended_at"]
    list_filter = ["status", "participant__study"]
    list_select_related = ["participant", "batch"]
    inlines = [SessionEventInline]


class RevisionInline(ReadOnlyRecords, admin.TabularInline):  # type: ignore[type-arg]
    model = Revision


@admin.register(Answer)
class AnswerAdmin(ReadOnlyRecords, admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["session", "position", "prompt", "revision", "has_text", "saved_at"]
    list_filter = ["session__participant__study"]
    list_select_related = ["session__participant", "prompt"]
    inlines = [RevisionInline]
