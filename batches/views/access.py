"""What every page of a participant has in common: signed in, their own, never shared, never stale."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control

from batches.models import Session
from batches.selectors.sessions import session_for_user
from studies.models import Participant
from studies.selectors.participants import participant_of
from studies.views.access import signed_in

P = ParamSpec("P")
SessionView = Callable[Concatenate[HttpRequest, Session, P], HttpResponse]
ParticipantView = Callable[Concatenate[HttpRequest, Participant, P], HttpResponse]

# Not `no-store`: a browser that goes back must still have what was typed into a form.
fresh_and_private = cache_control(private=True, no_cache=True)


def for_participant(view: ParticipantView[P]) -> Callable[..., HttpResponse]:
    """Give the view the person's place in the study of the address; 404 for everybody else."""

    @wraps(view)
    def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        participant = participant_of(signed_in(request), slug)
        if participant is None:
            raise Http404("no such study of this person")
        return view(request, participant, *args, **kwargs)

    return login_required(fresh_and_private(guarded))


def for_owner(view: SessionView[P]) -> Callable[..., HttpResponse]:
    """Give the view the person's own session; 404 for everybody else, staff included."""

    @wraps(view)
    def guarded(
        request: HttpRequest, session_id: uuid.UUID, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        session = session_for_user(signed_in(request), session_id)
        if session is None:
            raise Http404("no such session of this person")
        return view(request, session, *args, **kwargs)

    return login_required(fresh_and_private(guarded))
