"""How people get in: only those a study already knows."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignupAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    """Nobody signs up on their own: a study lead adds people, a code sent to their address signs them in."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        # Also said to somebody who only asked for codes too often.
        "too_many_login_attempts": "Too many attempts. Please wait a few minutes and try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
