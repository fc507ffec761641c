"""Who may see a page. Visitors are asked to sign in; people get 404 for what is not theirs.

Staff without a part in a study get 404 for all of it, as where there is no such study. Those whose part does
not include a page are told so, in the same words whether or not there is what its address names.

What these guards answer is never shared and never stale.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control, never_cache

from studies.models import Participant, Study, User
from studies.roles import Can, SiteCan
from studies.selectors.participants import participant_by_code, participant_of
from studies.selectors.roles import site_rights, study_rights
from studies.selectors.studies import study_by_slug
from studies.services.clock import server_now
from studies.services.languages import language_keep
from studies.services.private_questions import private_seen
from studies.services.studies import StudyArchived, require_not_archived
from studies.views.second_factor import second_factor_detour

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
StudyView = Callable[Concatenate[HttpRequest, Study, P], HttpResponseBase]
PersonView = Callable[Concatenate[HttpRequest, Participant, P], HttpResponseBase]
Guarded = Callable[..., HttpResponseBase]

# Not `no-store`: a browser that goes back must still have what was typed into a form.
fresh_and_private = cache_control(private=True, no_cache=True)


def staff_required(view: View[P]) -> View[P]:
    """For staff pages, which take a second factor. Signed-in people who are not staff learn nothing about
    what exists there.
    """

    @wraps(view)
    def for_staff(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not signed_in(request).is_staff:
            raise Http404
        return second_factor_detour(request) or view(request, *args, **kwargs)

    return login_required(for_staff)


def site_page(right: SiteCan) -> Callable[[View[P]], Guarded]:
    """For staff pages that belong to no study, and take this right."""

    def guard(view: View[P]) -> Guarded:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if right not in site_rights(signed_in(request)):
                return render(request, "studies/site_page_refused.html", status=HTTPStatus.FORBIDDEN)
            return view(request, *args, **kwargs)

        return never_cache(staff_required(guarded))

    return guard


def site_url_of(request: HttpRequest) -> str:
    """Where people reach the site: the address of the request may be one that only the study team reaches."""
    return settings.SITE_URL or request.build_absolute_uri("/")


def signed_in(request: HttpRequest) -> User:
    """The person who asks, on pages that need sign-in."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def for_participant(view: PersonView[P]) -> Guarded:
    """Give the view the asking person's place in the study of the address; 404 for everybody else."""

    @wraps(view)
    def guarded(request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        participant = participant_of(signed_in(request), slug)
        if participant is None:
            raise Http404("no such study of this person")
        if request.method == "POST":
            language_keep(user=participant.user, language=get_language() or "")
        return view(request, participant, *args, **kwargs)

    return login_required(fresh_and_private(guarded))


def study_page(*any_of: Can, instead: str = "") -> Callable[[StudyView[P]], Guarded]:
    """Give the view the study of the address, for those who have one of these rights in it.

    The request of the view has their rights as `study_rights`, for templates too. `instead` names a page of
    the study to which those are led who have a part in it but none of the rights.
    """

    def guard(view: StudyView[P]) -> Guarded:
        @wraps(view)
        def guarded(
            request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            study = study_by_slug(slug)
            if study is None:
                raise Http404("no such study")
            rights = study_rights(signed_in(request), study)
            if not rights:
                raise Http404("no part in this study")
            request.study_rights = rights  # type: ignore[attr-defined]
            if request.method == "POST" and view.__name__ != "staff_study_archive":
                try:
                    require_not_archived(study)
                except StudyArchived as refusal:
                    messages.error(request, str(refusal))
                    return redirect("staff_study", slug)
            if not rights.isdisjoint(any_of):
                return view(request, study, *args, **kwargs)
            return redirect(instead, slug) if instead else page_refused(request, study)

        return never_cache(staff_required(guarded))

    return guard


def person_page(*any_of: Can) -> Callable[[PersonView[P]], Guarded]:
    """`study_page` for pages about one person: gives the view the person of the address."""

    def guard(view: PersonView[P]) -> Guarded:
        @wraps(view)
        def guarded(
            request: HttpRequest, study: Study, /, code: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            participant = participant_by_code(study.slug, code)
            if participant is None:
                raise Http404("no such person in this study")
            return view(request, participant, *args, **kwargs)

        return study_page(*any_of)(guarded)

    return guard


def rights_here(request: HttpRequest) -> frozenset[Can]:
    """What the asking person may do in the study of the page."""
    rights: frozenset[Can] = getattr(request, "study_rights", frozenset())
    return rights


def private_shown(request: HttpRequest, study: Study, page: str, labels: Iterable[str]) -> None:
    """Record that the page shows the asking person the private questions with these labels, if any."""
    private_seen(study=study, page=page, labels=set(labels), actor=signed_in(request), now=server_now())


def page_refused(request: HttpRequest, study: Study) -> HttpResponse:
    """What somebody is told whose part in the study does not include what was asked for."""
    context = {"study": study}
    return render(request, "studies/study_page_refused.html", context, status=HTTPStatus.FORBIDDEN)
