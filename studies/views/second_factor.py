"""The second factor of staff, and everybody's passkeys: allauth's pages under this site's rules."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.decorators import secure_admin_login
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.base.views import IndexView
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from allauth.mfa.webauthn.views import AddWebAuthnView, RemoveWebAuthnView
from django import forms
from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.http import urlencode

from studies.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
# Where the session keeps the staff page somebody wanted when they had to set up a second factor first.
PAGE_WANTED = "page_wanted"


def second_factor_missing(request: HttpRequest) -> bool:
    """Whether this signed-in person has to prove a second factor before they see a staff page."""
    if not settings.STAFF_SECOND_FACTOR or not isinstance(request.user, User):
        return False
    return all(record.get("method") != "mfa" for record in get_authentication_records(request, request.user))


def second_factor_detour(request: HttpRequest) -> HttpResponse | None:
    """Where staff must go first: to prove their second factor or to set one up. None: nothing is missing."""
    if not second_factor_missing(request):
        request.session.pop(PAGE_WANTED, None)
        return None
    wanted = request.get_full_path() if request.method == "GET" else reverse("staff_home")
    proofs = get_adapter(request).get_reauthentication_methods(request.user)
    if proofs:
        return redirect(f"{proofs[0]['url']}?{urlencode({'next': wanted})}")
    request.session[PAGE_WANTED] = wanted
    return redirect("mfa_index")


def admin_guard(site: AdminSite) -> None:
    """Let the records' pages sign people in like all others, second factor included."""
    permitted, login = site.has_permission, site.login

    def has_permission(request: HttpRequest) -> bool:
        return permitted(request) and not second_factor_missing(request)

    def sign_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return second_factor_detour(request) or login(request, extra_context)

    site.has_permission = has_permission  # type: ignore[method-assign]
    site.login = secure_admin_login(sign_in)  # type: ignore[method-assign]


def only_staff(view: View[P]) -> View[P]:
    """For pages about a second factor, which only staff are asked for. Others get 404."""

    @wraps(view)
    def for_staff(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not (isinstance(request.user, User) and request.user.is_staff):
            raise Http404
        return view(request, *args, **kwargs)

    return login_required(for_staff)


def proved_by_adding(request: HttpRequest) -> None:
    """Adding a factor took using it: the session counts as verified and is not asked again."""
    added = Authenticator.objects.filter(user=request.user).exclude(type=Authenticator.Type.RECOVERY_CODES)
    post_authentication(request, added.latest("created_at", "id"), reauthenticated=True)


class SecurityView(IndexView):  # type: ignore[misc]  # allauth is untyped
    """One's passkeys and, for staff, the authenticator app and recovery codes."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["needed"] = settings.STAFF_SECOND_FACTOR and self.request.user.is_staff
        return context


class ActivateAppView(ActivateTOTPView):  # type: ignore[misc]
    """Connects an authenticator app."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        proved_by_adding(self.request)
        return response


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A passkey and the name its owner gives it."""

    name = forms.CharField(required=False, max_length=60)


class AddPasskeyView(AddWebAuthnView):  # type: ignore[misc]
    """Adds a passkey."""

    form_class = PasskeyForm

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        proved_by_adding(self.request)
        return response

    def get_success_url(self) -> str:
        # Participants can always sign in by code; recovery codes would only be one more thing to keep.
        return str(super().get_success_url()) if self.request.user.is_staff else reverse("mfa_index")


class RemovePasskeyView(RemoveWebAuthnView):  # type: ignore[misc]
    """Removes a passkey."""

    success_url = reverse_lazy("mfa_index")
