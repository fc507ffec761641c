"""Signing in and out: the only account pages there are.

People have neither passwords nor pages to manage addresses, so allauth's other pages are left out, and its
sign-in page is the one that sends a code. The names are those its code looks up.
"""

from allauth.account import views
from django.urls import path

urlpatterns = [
    path("login/", views.request_login_code, name="account_login"),
    path("login/code/", views.request_login_code, name="account_request_login_code"),
    path("login/code/confirm/", views.confirm_login_code, name="account_confirm_login_code"),
    path("logout/", views.logout, name="account_logout"),
    path("inactive/", views.account_inactive, name="account_inactive"),
]
