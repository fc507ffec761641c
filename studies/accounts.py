"""How people get in: only those a study already knows."""

from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.http import HttpRequest
from django.shortcuts import render

LOG = structlog.get_logger("chiron")


class ClosedSignupAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Nobody signs up on their own: a study lead adds people, a code sent to their address signs them in."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        # Also said to somebody who only asked for codes too often.
        "too_many_login_attempts": "Too many attempts. Please wait a few minutes and try again.",
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
