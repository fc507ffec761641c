"""Who may see the pages of a session (see `studies.views.access` for all others)."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse

from batches.models import Session
from batches.selectors.sessions import session_for_user
from studies.views.access import fresh_and_private, signed_in

P = ParamSpec("P")
SessionView = Callable[Concatenate[HttpRequest, Session, P], HttpResponse]


def for_owner(view: SessionView[P]) -> Callable[..., HttpResponse]:
    """Give the view the person's own session; 404 for everybody else, staff and visitors included.

    The 404 page offers visitors to sign in, after which the address opens again.
    """

    @wraps(view)
    def guarded(
        request: HttpRequest, session_id: uuid.UUID, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        session = session_for_user(signed_in(request), session_id)
        if session is None:
            raise Http404("no such session of this person")
        return view(request, session, *args, **kwargs)

    return fresh_and_private(guarded)
