"""The page that makes the first administrator: for whoever has the link that the starting site printed."""

from ipaddress import ip_address

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from studies.forms.team import AddressForm
from studies.services.clock import server_now
from studies.services.people.participants import EmailInvalid
from studies.services.refusals import Refused
from studies.services.staff.first_run import FirstRunTriedTooOften, first_run_redeem, require_first_run
from studies.views.sign_in import SIGN_IN_ADDRESS, codes_in_terminal

LOOPBACK_NAMES = {"localhost", "127.0.0.1", "[::1]"}
# What proxies add: one in front makes everybody's requests come from this machine.
OF_PROXIES = ("FORWARDED", "X_FORWARDED_FOR", "X_FORWARDED_HOST", "X_FORWARDED_PROTO", "X_REAL_IP", "VIA")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def first_run(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows the form and spends nothing; POST makes the account and signs nobody in."""
    if settings.PRODUCTION or not _asked_on_this_machine(request):
        raise Http404
    form, now = AddressForm(request.POST if request.method == "POST" else None), server_now()
    try:
        require_first_run(token=token, now=now)
        if request.method == "POST" and form.is_valid():
            user = first_run_redeem(token=token, email=form.cleaned_data["email"], now=now)
            request.session[SIGN_IN_ADDRESS] = user.email
            messages.success(request, _("The account is made. %(where)s") % {"where": codes_are_shown()})
            return redirect(f"{reverse('account_login')}?next={reverse('staff_home')}")
    except EmailInvalid as refusal:
        form.add_error("email", str(refusal))
    except Refused as refusal:
        status = 429 if isinstance(refusal, FirstRunTriedTooOften) else 410
        return render(request, "studies/first_run.html", {"refusal": str(refusal)}, status=status)
    context = {"form": form, "codes": codes_are_shown()}
    return render(request, "studies/first_run.html", context, status=422 if form.errors else 200)


def codes_are_shown() -> str:
    """Where the code appears with which the account is signed in to."""
    if codes_in_terminal():
        return _("Sign in with a code: it appears in the terminal in which the site was started.")
    return _("Sign in with a code: it is mailed to this address.")


def _asked_on_this_machine(request: HttpRequest) -> bool:
    """Whether a browser on this machine asks the site itself, under a name of this machine."""
    name, _port = split_domain_port(request.get_host())
    try:
        is_loopback = ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a socket of the file system
        is_loopback = False
    return (
        is_loopback
        and name in LOOPBACK_NAMES
        and not bool(getattr(settings, "SECURE_PROXY_SSL_HEADER", None))
        and not any(f"HTTP_{header}" in request.META for header in OF_PROXIES)
    )
