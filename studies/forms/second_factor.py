"""The code of an app, or a recovery code, as a second factor."""

from typing import Any

from allauth.account.adapter import get_adapter as account_adapter
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm

from studies.models import User
from studies.services.clock import server_now
from studies.services.limits import limit_forget, limit_take
from studies.services.staff.second_factor import second_factor_use
from studies.services.staff.sign_in import SECOND_FACTOR_TRIES


class _Counted:
    """Tries are counted before they are looked at, and a code works once, both in the database."""

    user: User
    cleaned_data: dict[str, Any]

    def clean_code(self) -> str:
        whom, now, code = str(self.user.pk), server_now(), str(self.cleaned_data["code"])
        if not limit_take(limit=SECOND_FACTOR_TRIES, whom=whom, now=now):
            raise account_adapter().validation_error("too_many_login_attempts")
        self.authenticator = second_factor_use(user=self.user, code=code, now=now)
        if self.authenticator is None:
            raise get_adapter().validation_error("incorrect_code")
        limit_forget(limit=SECOND_FACTOR_TRIES, whom=whom)
        return code


class SecondFactorForm(_Counted, AuthenticateForm):  # type: ignore[misc]  # allauth is untyped
    """At sign-in."""


class SecondFactorAgainForm(_Counted, ReauthenticateForm):  # type: ignore[misc]
    """Before something that takes a fresh proof."""
