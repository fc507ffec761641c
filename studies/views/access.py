"""Who may see a page. Visitors are asked to sign in; people get 404 for what is not theirs."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase

from studies.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def staff_required(view: View[P]) -> View[P]:
    """For staff pages. Signed-in people who are not staff learn nothing about what exists there."""

    @wraps(view)
    def for_staff(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not signed_in(request).is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return login_required(for_staff)


def signed_in(request: HttpRequest) -> User:
    """The person who asks, on pages that need sign-in."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user
