"""Signing in with one click, in the demo alone: nowhere else does the address exist."""

from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from operations.services.demo_people import PEOPLE
from studies.models import User


@never_cache
@require_POST
def demo_sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in as one of the demo's people, and go where they begin."""
    person = PEOPLE.get(request.POST.get("as", ""))
    if not settings.DEMO_SIGN_IN or person is None:
        raise Http404
    user = get_object_or_404(User, email=person.email, is_active=True)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect(person.page, slug=person.study)


def demo_accounts(request: HttpRequest) -> str:
    """Whom one may be, for the first page; blank where this is no demo."""
    if not settings.DEMO_SIGN_IN:
        return ""
    return render_to_string("console/_demo_accounts.html", {"people": PEOPLE.items()}, request)
