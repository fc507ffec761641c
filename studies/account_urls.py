"""Signing in and out, passkeys and the second factor: the only account pages there are.

People have neither passwords nor pages to manage addresses, so allauth's other pages are left out, and its
sign-in page is the one that sends a code. The names are those its code looks up.
"""

from django.urls import URLPattern, URLResolver, include, path

from studies.views.late import LateViews

account = LateViews("allauth.account.views")
mfa = LateViews("allauth.mfa.base.views")
webauthn = LateViews("allauth.mfa.webauthn.views")
factors = LateViews("studies.views.second_factor")
signing = LateViews("studies.views.sign_in")

passkeys = [
    path("add/", factors.add_passkey, name="mfa_add_webauthn"),
    path("login/", signing.passkey_sign_in, name="mfa_login_webauthn"),
    path("reauthenticate/", webauthn.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("keys/<int:pk>/remove/", factors.remove_passkey, name="mfa_remove_webauthn"),
]

second_factor: list[URLPattern | URLResolver] = [
    path("", factors.security, name="mfa_index"),
    path("authenticate/", mfa.authenticate, name="mfa_authenticate"),
    path("reauthenticate/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("totp/activate/", factors.activate_app, name="mfa_activate_totp"),
    path("totp/deactivate/", factors.deactivate_app, name="mfa_deactivate_totp"),
    path("recovery-codes/", factors.recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "recovery-codes/generate/",
        factors.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path("webauthn/", include(passkeys)),
]

urlpatterns = [
    path("login/", signing.sign_in, name="account_login"),
    path("login/code/", signing.sign_in, name="account_request_login_code"),
    path("login/code/confirm/", signing.confirm_code, name="account_confirm_login_code"),
    path("logout/", signing.sign_out, name="account_logout"),
    path("sign-ins/others/end/", signing.sign_out_others, name="account_end_other_sign_ins"),
    path("sign-ins/<int:number>/end/", signing.sign_out_elsewhere, name="account_end_sign_in"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("2fa/", include(second_factor)),
]
