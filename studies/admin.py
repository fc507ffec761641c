"""The records, for looking only: changes go through services, which check them and write the trail."""

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from allauth.usersessions.admin import UserSession
from django.contrib import admin
from django.contrib.auth import admin as auth_admin  # noqa: F401  # registers what is taken out below
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest

from studies.models import (
    Amendment,
    Announcement,
    Bank,
    BankVersion,
    ComprehensionAttempt,
    Consent,
    Credential,
    Invitation,
    ItemBank,
    JudgeProtocol,
    Message,
    Participant,
    ProfileForm,
    Prompt,
    Study,
    StudyEvent,
    User,
)

admin.site.site_header = admin.site.site_title = "Chiron records"
admin.site.index_title = "Records, for looking only"
# Rights and addresses have commands and sign-in; here they could be changed without a trace. Authenticators
# hold the secrets of second factors, sign-ins the keys of sessions.
admin.site.unregister([Authenticator, EmailAddress, Group, UserSession])


class ReadOnlyRecords:
    """No adding, changing or deleting, whoever asks."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnlyRecords, admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable when it runs
    """The records of one model, for looking only."""


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ["email", "is_staff", "is_superuser", "is_active", "last_login"]
    list_filter = ["is_staff", "is_active"]
    search_fields = ["email"]
    exclude = ["password"]


@admin.register(Study)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ["slug", "name", "status", "bank_version", "frozen_at", "is_simulated"]
    list_filter = ["status", "is_simulated"]
    list_select_related = ["bank_version__bank"]


@admin.register(Amendment)
class AmendmentAdmin(ReadOnlyAdmin):
    list_display = ["study", "number", "made_at", "made_by", "reason"]
    list_select_related = ["study", "made_by"]


@admin.register(Participant)
class ParticipantAdmin(ReadOnlyAdmin):
    list_display = ["code", "study", "profile", "vetting_status", "is_test", "submitted_at"]
    list_filter = ["study", "vetting_status", "is_test"]
    list_select_related = ["study"]
    search_fields = ["code"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ["id", "study", "profile", "is_test", "sent_at", "expires_at", "accepted_at", "revoked_at"]
    list_filter = ["study", "profile", "is_test"]
    list_select_related = ["study"]
    exclude = ["token_sha256"]


@admin.register(ProfileForm)
class ProfileFormAdmin(ReadOnlyAdmin):
    """That a form was sent; what it says stands on the person's page."""

    list_display = ["participant", "submitted_at"]
    list_filter = ["participant__study"]
    list_select_related = ["participant"]
    exclude = ["answers"]


@admin.register(Credential)
class CredentialAdmin(ReadOnlyAdmin):
    """That a file was handed in; it is opened on the person's page, which records who did."""

    list_display = ["participant", "media_type", "size_bytes", "uploaded_at", "sha256"]
    list_filter = ["participant__study"]
    list_select_related = ["participant"]
    exclude = ["file", "name"]


@admin.register(ComprehensionAttempt)
class ComprehensionAttemptAdmin(ReadOnlyAdmin):
    list_display = ["participant", "correct", "passed", "attempted_at"]
    list_filter = ["participant__study", "passed"]
    list_select_related = ["participant"]
    exclude = ["choices"]


@admin.register(Announcement)
class AnnouncementAdmin(ReadOnlyAdmin):
    list_display = ["id", "study", "audience", "made_by", "made_at", "withdrawn_at"]
    list_filter = ["study"]
    list_select_related = ["study", "made_by"]


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """That somebody wrote; the text stands in the thread."""

    list_display = ["participant", "is_from_team", "session_reference", "sent_at"]
    list_filter = ["participant__study", "is_from_team"]
    list_select_related = ["participant"]
    exclude = ["text"]


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ["participant", "accepted", "decided_at", "sha256"]
    list_filter = ["participant__study", "accepted"]
    list_select_related = ["participant"]


@admin.register(StudyEvent)
class StudyEventAdmin(ReadOnlyAdmin):
    list_display = ["happened_at", "study", "kind", "participant", "actor"]
    list_filter = ["study", "kind"]
    list_select_related = ["study", "participant", "actor"]


@admin.register(Bank)
class BankAdmin(ReadOnlyAdmin):
    list_display = ["slug", "created_at"]


@admin.register(BankVersion)
class BankVersionAdmin(ReadOnlyAdmin):
    list_display = ["bank", "number", "format", "imported_at", "digest"]
    list_select_related = ["bank"]


@admin.register(Prompt)
class PromptAdmin(ReadOnlyAdmin):
    list_display = ["prompt_id", "label", "version", "category", "modality", "split"]
    list_filter = ["version", "category", "modality", "split"]
    list_select_related = ["version__bank"]
    search_fields = ["prompt_id", "label"]


@admin.register(ItemBank)
class ItemBankAdmin(ReadOnlyAdmin):
    list_display = ["slug", "imported_at", "response_model", "sigma_hat", "n_models", "digest"]


@admin.register(JudgeProtocol)
class JudgeProtocolAdmin(ReadOnlyAdmin):
    list_display = ["slug", "source", "imported_at", "sha256"]
