"""How people get in: only those a study already knows."""

from contextlib import suppress
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.utils import is_mfa_enabled
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy

from studies.models import User

LOG = structlog.get_logger("chiron")
# The page that takes the proof of a kind of authenticator.
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

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send, or answer the request with a page that says that no mail can be sent."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError as error:  # every error of smtplib is one, too
            LOG.error("no mail can be sent; check CHIRON_MAIL_URL", reason=type(error).__name__)
            raise ImmediateHttpResponse(render(self.request, "account/no_mail.html", status=503)) from error

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Tell the person about a change that is made already; it stays made where no mail can be sent."""
        with suppress(ImmediateHttpResponse):
            super().send_notification_mail(*args, **kwargs)

    def get_login_stages(self) -> list[str]:
        """What follows the code: the second factor, which only staff are asked for."""
        own = {"allauth.mfa.stages.AuthenticateStage": "studies.accounts.StaffSecondFactorStage"}
        return [own.get(stage, stage) for stage in super().get_login_stages()]

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """How staff prove their second factor, the likeliest way first. Passwords prove nothing here."""
        if not has_second_factor(user):
            return []
        types = Authenticator.objects.filter(user=user).values_list("type", flat=True)
        ways = [
            {"id": PROOFS[kind], "url": reverse(PROOFS[kind]), "description": ""}
            for kind in (
                Authenticator.Type.TOTP,
                Authenticator.Type.WEBAUTHN,
                Authenticator.Type.RECOVERY_CODES,
            )
            if kind in types
        ]
        return list({way["id"]: way for way in ways}.values())

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Before staff change a second factor they prove the one they have."""
        return has_second_factor(self.request.user)


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
    """Words of our own for passkeys."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This did not work. Check the code or the passkey and try again."),
    }

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return _("Passkey %(number)d") % {"number": number}


def has_second_factor(user: Any) -> bool:
    """Whether this is staff with an authenticator app or a passkey."""
    types = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return isinstance(user, User) and user.is_staff and bool(is_mfa_enabled(user, types))
