"""How people get in: only those a study already knows."""

from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy

from presentation.numbers import numbered
from studies.models import User
from studies.services.clock import server_now
from studies.services.mails.mails import mail_queue
from studies.services.staff.second_factor import second_factor_keys

# A code is of no use afterwards.
MAIL_VALID_FOR = timedelta(seconds=settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT)
CLOCKS_DIFFER_SECONDS = 30
# The page that takes the proof of a kind of authenticator, the likeliest kind first.
PROOFS = {
    Authenticator.Type.TOTP: "mfa_reauthenticate",
    Authenticator.Type.WEBAUTHN: "mfa_reauthenticate_webauthn",
    Authenticator.Type.RECOVERY_CODES: "mfa_reauthenticate",
}


class ClosedSignupAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Nobody signs up on their own: a study invites or adds people, a code sent to their address or a passkey
    signs them in. Only staff are asked for a second factor.
    """

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        # Also said to somebody who only asked for codes too often.
        "too_many_login_attempts": gettext_lazy(
            "Too many attempts. Please wait a few minutes and try again."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Where sign-in leads when no page was asked for: staff to the studies they look after."""
        return resolve_url("staff_home" if request.user.is_staff else settings.LOGIN_REDIRECT_URL)

    def send_mail(
        self, template_prefix: str, email: str, context: dict[str, Any], *, discarded: bool = False
    ) -> None:
        """Leave the mail to a worker; `discarded` as in OutgoingMail."""
        about = {"request": self.request, "email": email, **context}
        message = self.render_mail(template_prefix, email, about)
        mail_queue(message=message, now=server_now(), valid_for=MAIL_VALID_FOR, discarded=discarded)

    def send_code_to_nobody(self, email: str) -> None:
        """What `send_mail` does for somebody known, so that nobody can tell by the time it takes."""
        context = {"request": self.request, "code": self.generate_login_code()}
        self.send_mail("account/email/login_code", email, context, discarded=True)

    def get_login_stages(self) -> list[str]:
        """What follows the code: the second factor, which only staff are asked for."""
        own = {"allauth.mfa.stages.AuthenticateStage": "studies.accounts.StaffSecondFactorStage"}
        return [own.get(stage, stage) for stage in super().get_login_stages()]

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """How staff prove their second factor, the likeliest way first. Passwords prove nothing here."""
        if not _has_second_factor(user):
            return []
        types = Authenticator.objects.filter(user=user).values_list("type", flat=True)
        pages = dict.fromkeys(page for kind, page in PROOFS.items() if kind in types)
        return [{"id": page, "url": reverse(page), "description": ""} for page in pages]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Whether staff prove the second factor they have before they go on: not if they just did."""
        if not _has_second_factor(self.request.user):
            return False
        now = server_now().timestamp()
        records = get_authentication_records(self.request, self.request.user)
        proofs = [record["at"] for record in records if record.get("method") == "mfa"]
        # One of the future was dated by a wrong clock and would count for as long as that was wrong.
        past = [at for at in proofs if at <= now + CLOCKS_DIFFER_SECONDS]
        return not past or now - max(past) >= settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


class StaffSecondFactorStage(AuthenticateStage):  # type: ignore[misc]
    """The second factor at sign-in. For participants a passkey is a short way in, never a lock: on a device
    without it they still sign in by code.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        if not self.login.user.is_staff:
            return None, True
        outcome: tuple[HttpResponse | None, bool] = super().handle()
        return outcome


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Words of our own for passkeys, and secrets that a copy of the database does not tell."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This did not work. Check the code or the passkey and try again."),
    }

    def encrypt(self, text: str) -> str:
        return second_factor_keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return second_factor_keys().decrypt(encrypted_text).decode()

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return numbered(_("Passkey %(number)d"), {"number": number})


def _has_second_factor(user: Any) -> bool:
    """Whether this is staff with an authenticator app or a passkey."""
    types = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return isinstance(user, User) and user.is_staff and bool(is_mfa_enabled(user, types))
