"""Signing in and out, passkeys and the second factor: the only account pages there are.

People have neither passwords nor pages to manage addresses, so allauth's other pages are left out, and its
sign-in page is the one that sends a code. The names are those its code looks up.
"""

from allauth.account import views
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.urls import include, path
from django.views.decorators.cache import never_cache

from studies.views.second_factor import (
    ActivateAppView,
    AddPasskeyView,
    RemovePasskeyView,
    SecurityView,
    only_staff,
)
from studies.views.sign_in import (
    confirm_code,
    passkey_sign_in,
    sign_in,
    sign_out,
    sign_out_elsewhere,
    sign_out_others,
)

passkeys = [
    path("add/", never_cache(AddPasskeyView.as_view()), name="mfa_add_webauthn"),
    path("login/", passkey_sign_in, name="mfa_login_webauthn"),
    path("reauthenticate/", webauthn.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("keys/<int:pk>/remove/", RemovePasskeyView.as_view(), name="mfa_remove_webauthn"),
]

second_factor = [
    path("", never_cache(SecurityView.as_view()), name="mfa_index"),
    path("authenticate/", mfa.authenticate, name="mfa_authenticate"),
    path("reauthenticate/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("totp/activate/", never_cache(only_staff(ActivateAppView.as_view())), name="mfa_activate_totp"),
    path("totp/deactivate/", only_staff(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path(
        "recovery-codes/", never_cache(only_staff(codes.view_recovery_codes)), name="mfa_view_recovery_codes"
    ),
    path(
        "recovery-codes/generate/",
        only_staff(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("webauthn/", include(passkeys)),
]

urlpatterns = [
    path("login/", sign_in, name="account_login"),
    path("login/code/", sign_in, name="account_request_login_code"),
    path("login/code/confirm/", confirm_code, name="account_confirm_login_code"),
    path("logout/", sign_out, name="account_logout"),
    path("sign-ins/others/end/", sign_out_others, name="account_end_other_sign_ins"),
    path("sign-ins/<int:number>/end/", sign_out_elsewhere, name="account_end_sign_in"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("2fa/", include(second_factor)),
]
