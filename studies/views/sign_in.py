"""The page that sends a sign-in code, and signing out."""

from typing import Any

from allauth.account.views import LogoutView, RequestLoginCodeView
from django.http import HttpResponse

# Where the session keeps the address of an invitation that was just accepted.
SIGN_IN_ADDRESS = "sign_in_address"


class SignInView(RequestLoginCodeView):  # type: ignore[misc]  # allauth is untyped
    """Asks for an address; the one of an invitation just accepted stands there already."""

    def get_initial(self) -> dict[str, Any]:
        return {**super().get_initial(), "email": self.request.session.get(SIGN_IN_ADDRESS, "")}

    def form_valid(self, form: Any) -> HttpResponse:
        self.request.session.pop(SIGN_IN_ADDRESS, None)
        response: HttpResponse = super().form_valid(form)
        return response


class SignOutView(LogoutView):  # type: ignore[misc]
    """Asks whether to sign out, and does it."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Pages one goes back to must be asked for again: the next person may sit at the same device."""
        response: HttpResponse = super().post(*args, **kwargs)
        response["Clear-Site-Data"] = '"cache"'
        return response


sign_in = SignInView.as_view()
sign_out = SignOutView.as_view()
