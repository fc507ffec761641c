"""The second factor of staff, and everybody's passkeys: allauth's pages under this site's rules."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, TypeVar

from allauth.account.adapter import get_adapter
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY, get_authentication_records
from allauth.account.decorators import reauthentication_required, secure_admin_login
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.base.views import IndexView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.signals import authenticator_removed
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from allauth.mfa.webauthn.views import AddWebAuthnView, RemoveWebAuthnView
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.decorators import login_required
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from studies.models import User
from studies.services.clock import server_now
from studies.services.staff.second_factor import second_factor_use
from studies.session_renewal import sign_in_used

P = ParamSpec("P")
R = TypeVar("R")
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


def proof_required(view: View[P]) -> View[P]:
    """For what staff take away: a second factor proved long ago is asked for again."""
    return _asked_for_proof(view, _is_proof_asked)


def proof_to_change(
    view: Callable[Concatenate[HttpRequest, P], R],
) -> Callable[Concatenate[HttpRequest, P], R]:
    """The same where looking is free, for a view or for the part of it that changes something. What was sent
    is kept and done after the proof; the page says so.
    """
    guarded = _asked_for_proof(view, lambda request: request.method == "POST" and _is_proof_asked(request))

    @wraps(view)
    def kept(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return guarded(request, *args, **kwargs)
        except ReauthenticationRequired:
            messages.info(
                request, _("What you sent is kept, and done as soon as your second factor is proved.")
            )
            raise

    return kept


def _asked_for_proof(
    view: Callable[Concatenate[HttpRequest, P], R], enabled: Callable[[HttpRequest], bool]
) -> Callable[Concatenate[HttpRequest, P], R]:
    guarded: Callable[Concatenate[HttpRequest, P], R] = reauthentication_required(
        view, enabled=enabled, app="studies"
    )
    return guarded


def _is_proof_asked(request: HttpRequest) -> bool:
    return bool(settings.STAFF_SECOND_FACTOR)


@receiver(authenticator_removed)
def factor_removed(request: HttpRequest, user: User, **_: Any) -> None:
    """Whoever removes a factor of their own goes on here, while all their other sessions are over. With the
    last one goes what it proved.
    """
    user.refresh_from_db(fields=["session_epoch"])
    request.session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    if not get_adapter(request).get_reauthentication_methods(user):
        request.session.pop(AUTHENTICATION_METHODS_SESSION_KEY, None)


def admin_guard(site: AdminSite) -> None:
    """Let the records' pages sign people in like all others, second factor included, and tell everybody who
    may not see them what they need.
    """
    ask_to_sign_in = secure_admin_login(site.login)

    def has_permission(request: HttpRequest) -> bool:
        return _may_see_records(request) and not second_factor_missing(request)

    def sign_in(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.user.is_authenticated and not _may_see_records(request):
            return render(request, "studies/records_refused.html", status=HTTPStatus.FORBIDDEN)
        answer: HttpResponse = second_factor_detour(request) or ask_to_sign_in(request, extra_context)
        return answer

    site.has_permission = has_permission  # type: ignore[method-assign]
    site.login = sign_in  # type: ignore[method-assign]


def _may_see_records(request: HttpRequest) -> bool:
    user = request.user
    return isinstance(user, User) and user.is_active and user.is_staff and user.is_superuser


def only_staff(view: View[P]) -> View[P]:
    """For pages about a second factor, which only staff are asked for. Others get 404."""

    @wraps(view)
    def for_staff(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not (isinstance(request.user, User) and request.user.is_staff):
            raise Http404
        return view(request, *args, **kwargs)

    return login_required(for_staff)


def _proved_by_adding(request: HttpRequest) -> None:
    """Adding a factor took using it: the session counts as verified and is not asked again."""
    added = Authenticator.objects.filter(user=request.user).exclude(type=Authenticator.Type.RECOVERY_CODES)
    post_authentication(request, added.latest("created_at", "id"), reauthenticated=True)


class SecurityView(IndexView):  # type: ignore[misc]  # allauth is untyped
    """One's passkeys and, for staff, the authenticator app and recovery codes; and where one is signed in."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        sign_in_used(self.request, self.request.user, server_now())
        sign_ins = UserSession.objects.purge_and_list(self.request.user)
        context["sign_ins"] = sorted(sign_ins, key=lambda sign_in: sign_in.last_seen_at, reverse=True)
        context["needed"] = settings.STAFF_SECOND_FACTOR and self.request.user.is_staff
        return context


class ActivateAppView(totp.ActivateTOTPView):  # type: ignore[misc]
    """Connects an authenticator app."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        # The code that connected the app is used, too.
        second_factor_use(user=self.request.user, code=form.cleaned_data["code"], now=server_now())
        _proved_by_adding(self.request)
        return response


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A passkey and the name its owner gives it."""

    name = forms.CharField(required=False, max_length=60)


class AddPasskeyView(AddWebAuthnView):  # type: ignore[misc]
    """Adds a passkey."""

    form_class = PasskeyForm

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        _proved_by_adding(self.request)
        return response

    def get_success_url(self) -> str:
        # Participants can always sign in by code; recovery codes would only be one more thing to keep.
        return str(super().get_success_url()) if self.request.user.is_staff else reverse("mfa_index")


class RemovePasskeyView(RemoveWebAuthnView):  # type: ignore[misc]
    """Removes a passkey."""

    success_url = reverse_lazy("mfa_index")


security = never_cache(SecurityView.as_view())
add_passkey = never_cache(AddPasskeyView.as_view())
remove_passkey = RemovePasskeyView.as_view()
activate_app = never_cache(only_staff(ActivateAppView.as_view()))
deactivate_app = only_staff(totp.deactivate_totp)
recovery_codes = never_cache(only_staff(codes.view_recovery_codes))
generate_recovery_codes = only_staff(codes.generate_recovery_codes)
