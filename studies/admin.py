"""The records, for looking only: changes go through services, which check them and write the trail."""

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from allauth.usersessions.admin import UserSession
from django.contrib import admin
from django.contrib.auth import admin as auth_admin  # noqa: F401  # registers what is taken out below
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from studies import models
from studies.selectors.private_questions import of_public
from studies.services.private_questions import private_seen_of_bank
from studies.views.access import signed_in

admin.site.site_header = admin.site.site_title = "Chiron records"
admin.site.index_title = "Records, for looking only"
# Rights and addresses have commands and sign-in; here they could be changed without a trace. Authenticators
# hold the secrets of second factors, sign-ins the keys of sessions.
admin.site.unregister([Authenticator, EmailAddress, Group, UserSession])


class ReadOnlyRecords:
    """No adding, changing or deleting, whoever asks."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


class ReadOnlyAdmin(ReadOnlyRecords, admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable when it runs
    """The records of one model, for looking only.

    `of_prompts` is the way from a prompt to what tells of it: that private ones were looked at is recorded.
    """

    of_prompts: ClassVar[str] = ""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().changelist_view(request, extra_context)
        if change_list := (getattr(response, "context_data", None) or {}).get("cl"):
            self._seen(request, change_list.result_list)
        return response

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        self._seen(request, [row] if row else [])
        return row

    def _seen(self, request: HttpRequest, records: Iterable[Model]) -> None:
        if not self.of_prompts:
            return
        keys = [record.pk for record in records]
        prompts = models.Prompt.objects.filter(~of_public(), **{f"{self.of_prompts}__in": keys})
        labels: dict[models.BankVersion, set[str]] = {}
        for prompt in prompts.select_related("version").distinct():
            labels.setdefault(prompt.version, set()).add(prompt.label)
        for version, found in labels.items():
            private_seen_of_bank(
                version=version, page="records", labels=found, actor=signed_in(request), now=timezone.now()
            )


_register = partial(admin.site.register, admin_class=ReadOnlyAdmin)
_register(
    models.User,
    list_display=["email", "is_staff", "is_superuser", "is_active", "last_login"],
    list_filter=["is_staff", "is_active"],
    search_fields=["email"],
    exclude=["password"],
)
_register(
    models.StudyRole,
    list_display=["study", "user", "role", "given_by", "given_at"],
    list_filter=["study", "role"],
    list_select_related=["study", "user", "given_by"],
)
_register(
    models.Study,
    list_display=["slug", "name", "status", "bank_version", "frozen_at", "is_simulated"],
    list_filter=["status", "is_simulated"],
    list_select_related=["bank_version__bank"],
)
_register(
    models.Amendment,
    list_display=["study", "number", "made_at", "made_by", "reason"],
    list_select_related=["study", "made_by"],
)
_register(
    models.Participant,
    list_display=["code", "study", "profile", "vetting_status", "is_test", "submitted_at"],
    list_filter=["study", "vetting_status", "is_test"],
    list_select_related=["study"],
    search_fields=["code"],
)
_register(
    models.Invitation,
    list_display=["id", "study", "profile", "is_test", "sent_at", "expires_at", "accepted_at", "revoked_at"],
    list_filter=["study", "profile", "is_test"],
    list_select_related=["study"],
    exclude=["token_sha256"],
)
# That a form was sent; what it says stands on the person's page.
_register(
    models.ProfileForm,
    list_display=["participant", "submitted_at"],
    list_filter=["participant__study"],
    list_select_related=["participant"],
    exclude=["answers"],
)
# That a file was handed in; it is opened on the person's page, which records who did.
_register(
    models.Credential,
    list_display=["participant", "media_type", "size_bytes", "uploaded_at", "sha256"],
    list_filter=["participant__study"],
    list_select_related=["participant"],
    exclude=["file", "name"],
)
_register(
    models.ComprehensionAttempt,
    list_display=["participant", "correct", "passed", "attempted_at"],
    list_filter=["participant__study", "passed"],
    list_select_related=["participant"],
    exclude=["choices"],
)
_register(
    models.Announcement,
    list_display=["id", "study", "audience", "made_by", "made_at", "withdrawn_at"],
    list_filter=["study"],
    list_select_related=["study", "made_by"],
)
# That somebody wrote; the text stands in the thread.
_register(
    models.Message,
    list_display=["participant", "is_from_team", "session_reference", "sent_at"],
    list_filter=["participant__study", "is_from_team"],
    list_select_related=["participant"],
    exclude=["text"],
)
_register(
    models.Consent,
    list_display=["participant", "accepted", "decided_at", "sha256"],
    list_filter=["participant__study", "accepted"],
    list_select_related=["participant"],
)
_register(
    models.StudyEvent,
    list_display=["happened_at", "study", "kind", "participant", "actor"],
    list_filter=["study", "kind"],
    list_select_related=["study", "participant", "actor"],
)
_register(models.Bank, list_display=["slug", "created_at"])
_register(
    models.BankVersion,
    list_display=["bank", "number", "format", "imported_at", "digest"],
    list_select_related=["bank"],
)
_register(
    models.Prompt,
    of_prompts="pk",
    list_display=["prompt_id", "label", "version", "category", "modality", "split"],
    list_filter=["version", "category", "modality", "split"],
    list_select_related=["version__bank"],
    search_fields=["prompt_id", "label"],
)
_register(
    models.ItemBank, list_display=["slug", "imported_at", "response_model", "sigma_hat", "n_models", "digest"]
)
_register(models.JudgeProtocol, list_display=["slug", "source", "imported_at", "sha256"])
