"""The pages that send a sign-in code and take it, and signing out."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.stagekit import LOGIN_SESSION_KEY
from allauth.account.views import ConfirmLoginCodeView, LogoutView, RequestLoginCodeView
from allauth.core.internal.ratelimit import get_ip
from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from allauth.mfa.webauthn.views import LoginWebAuthnView
from allauth.usersessions.adapter import get_adapter as get_sessions_adapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from studies.models import User
from studies.services.clock import server_now
from studies.services.limits import limit_take
from studies.services.staff.sign_in import CODE_TRIES, CODE_USE, client_take, code_request_take
from studies.services.staff.staff import sign_out_everywhere

# Where the session keeps the address of an invitation that was just accepted, and the hash of the newest
# link that was opened: who holds the link of an invitation asks for codes under limits of their own.
SIGN_IN_ADDRESS = "sign_in_address"
SIGN_IN_LINK = "sign_in_link"


def codes_in_terminal() -> bool:
    """Whether nothing is mailed, and codes appear where the site was started (`manage.py run`)."""
    return hasattr(settings, "EMAIL_FILE_PATH")


class SignInView(RequestLoginCodeView):  # type: ignore[misc]  # allauth is untyped
    """Asks for an address; the one of an invitation just accepted stands there already.

    Whether the address has an account changes neither the reply nor what is done before it.
    """

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"in_terminal": codes_in_terminal()}

    def get_initial(self) -> dict[str, Any]:
        return {**super().get_initial(), "email": self.request.session.get(SIGN_IN_ADDRESS, "")}

    def form_valid(self, form: Any) -> HttpResponse:
        email = form.cleaned_data["email"]
        if not _may_ask(self.request, email):
            form.add_error("email", _too_often())
            refused: HttpResponse = self.form_invalid(form)
            return refused
        self.request.session.pop(SIGN_IN_ADDRESS, None)
        response: HttpResponse = super().form_valid(form)
        if form._user is None:
            get_adapter().send_code_to_nobody(email)
        return response


class ConfirmCodeView(ConfirmLoginCodeView):  # type: ignore[misc]
    """Takes the code; sends another one if asked to."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"in_terminal": codes_in_terminal()}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Where the address has no account, read one that is not there: that takes as long as a known one."""
        has_asked = LOGIN_SESSION_KEY in request.session and not request.user.is_authenticated
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        # The library leaves what is too old without a word.
        process = getattr(self, "_process", None)
        if process is None and has_asked:
            messages.error(request, _("The code is too old. Please ask for a new one."))
        elif process and process.user is None:
            User.objects.filter(pk=0).first()
        return response

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Count the try before it is looked at: parallel requests read the same number from a session."""
        if self._action == "verify":
            login = f"{self.request.session.session_key} {self._process.state['at']}"
            if not limit_take(limit=CODE_TRIES, whom=login, now=server_now()):
                self._process.abort()
                messages.error(request, _too_often())
                return redirect("account_login")
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response

    def _verify_form_valid(self, form: Any) -> HttpResponse:
        """Parallel requests read the same code from a session: the database lets one of them in."""
        used = f"{self.request.session.session_key} {self._process.state['at']} {self._process.code}"
        if not limit_take(limit=CODE_USE, whom=used, now=server_now()):
            return _used_already(self.request)
        response: HttpResponse = super()._verify_form_valid(form)
        return response

    def _resend_form_valid(self, form: Any) -> HttpResponse:
        email = self._process.state["email"]
        if not _may_ask(self.request, email):
            messages.error(self.request, _too_often())
            return redirect("account_confirm_login_code")
        response: HttpResponse = super()._resend_form_valid(form)
        if self._process.user is None:
            get_adapter().send_code_to_nobody(email)
        return response


class PasskeySignInView(LoginWebAuthnView):  # type: ignore[misc]
    """Signs in with a passkey, as often as its client may ask for codes."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not client_take(client=get_ip(request), now=server_now()):
            messages.error(request, _too_often())
            return redirect("account_login")
        challenge = request.session.get(STATE_SESSION_KEY, {}).get("challenge", "")
        if challenge and not limit_take(limit=CODE_USE, whom=challenge, now=server_now()):
            return _used_already(request)
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


def _used_already(request: HttpRequest) -> HttpResponse:
    messages.error(request, _("This was used to sign in already. Please ask for a new code."))
    return redirect("account_login")


def _may_ask(request: HttpRequest, email: str) -> bool:
    """Count a code that is asked for; False where that is one too many."""
    link = request.session.get(SIGN_IN_LINK, "")
    return code_request_take(email=email, client=get_ip(request), link=link, now=server_now())


def _too_often() -> str:
    return str(get_adapter().error_messages["too_many_login_attempts"])


class SignOutView(LogoutView):  # type: ignore[misc]
    """Asks whether to sign out, here or everywhere, and does it."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Pages one goes back to must be asked for again: the next person may sit at the same device."""
        if "everywhere" in self.request.POST and self.request.user.is_authenticated:
            sign_out_everywhere(user=self.request.user)
        response: HttpResponse = super().post(*args, **kwargs)
        response["Clear-Site-Data"] = '"cache"'
        return response


@require_POST
@login_required
def sign_out_elsewhere(request: HttpRequest, number: int) -> HttpResponse:
    """End another sign-in of the same person; 404 for anybody else's, and for the one at hand."""
    others = UserSession.objects.filter(user=request.user).exclude(session_key=request.session.session_key)
    sign_in = get_object_or_404(others, pk=number)
    get_sessions_adapter().end_sessions([sign_in])
    messages.success(request, _("You are signed out there."))
    return redirect("mfa_index")


@require_POST
@login_required
def sign_out_others(request: HttpRequest) -> HttpResponse:
    """End every other sign-in of the same person; the one at hand goes on."""
    others = UserSession.objects.filter(user=request.user).exclude(session_key=request.session.session_key)
    get_sessions_adapter().end_sessions(list(others))
    messages.success(request, _("You are signed out everywhere else."))
    return redirect("mfa_index")


sign_in = SignInView.as_view()
confirm_code = ConfirmCodeView.as_view()
passkey_sign_in = PasskeySignInView.as_view()
sign_out = SignOutView.as_view()
