"""The page of a job, what its script asks for, and its end on request."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib import messages
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page, require_POST, require_safe

from jobs.models import Job
from jobs.registry import kind_named
from jobs.selectors import job_by_id
from jobs.services.lists import KIND, list_start, list_take
from jobs.services.starting import job_cancel
from jobs.shown import job_shown
from studies.models import Study
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views import csv_files
from studies.views.access import signed_in, site_page, staff_required, study_page
from studies.views.second_factor import proof_required

JobView = Callable[[HttpRequest, Job], HttpResponseBase]


def job_required(view: JobView) -> Callable[..., HttpResponseBase]:
    """Give the view the job of the address, for whoever has its kind's right in its study. A job without one
    is that of whoever started it and has the right, and of whoever runs the site: uploads are nobody else's.
    """

    @wraps(view)
    def guarded(request: HttpRequest, job_id: UUID) -> HttpResponseBase:
        job = job_by_id(job_id)
        kind = kind_named(job.kind) if job else None
        if job is None or kind is None:
            return staff_required(_nothing)(request)

        def of_site(asked: HttpRequest) -> HttpResponseBase:
            user = signed_in(asked)
            if user.pk != job.actor_id and SiteCan.RUN_SITE not in site_rights(user):
                raise Http404("no job of theirs")
            return view(asked, job)

        def of_study(asked: HttpRequest, _study: Study) -> HttpResponseBase:
            if kind.can is None and signed_in(asked).pk != job.actor_id:
                raise Http404("no job of theirs")
            return view(asked, job)

        if isinstance(kind.can, SiteCan):
            return site_page(kind.can)(of_site)(request)
        slug = job.study.slug if job.study else ""
        rights = tuple(Can) if kind.can is None else (kind.can,)
        return study_page(*rights)(of_study)(request, slug=slug)

    return guarded


def _nothing(_request: HttpRequest) -> HttpResponse:
    raise Http404("no such job")


@require_safe
@job_required
def staff_job(request: HttpRequest, job: Job) -> HttpResponse:
    """One job: how far it is, who asked for it, how it ended."""
    base = "presentation/study.html" if job.study else "presentation/staff.html"
    shown = job_shown(job, now=server_now())
    return render(request, "jobs/job.html", {"base": base, "study": job.study, "job": job, "shown": shown})


@require_safe
@job_required
def staff_job_state(request: HttpRequest, job: Job) -> HttpResponse:
    """How far it is, as JSON; 304 while nothing moved."""
    return conditional_page(_state)(request, job)


def _state(_request: HttpRequest, job: Job) -> HttpResponse:
    return JsonResponse(job_shown(job, now=server_now()).as_json())


def list_handed_over(request: HttpRequest, study: Study) -> HttpResponseBase | None:
    """To the job that writes the list. Where none may begin, as in an archived study, the page writes it."""
    try:
        job = list_start(
            path=request.get_full_path(), study=study, actor=signed_in(request), now=server_now()
        )
    except Refused:
        return None
    return redirect("staff_job", job_id=job.pk)


@require_safe
@job_required
@proof_required
def staff_job_file(request: HttpRequest, job: Job) -> HttpResponseBase:
    """The list that the job wrote, for whoever asked for it. That it is taken is recorded."""
    if job.kind != KIND or job.study is None:
        raise Http404("no list")
    if request.method == "HEAD":
        return HttpResponse(content_type=csv_files.TYPE)
    try:
        file, facts = list_take(job=job, user=signed_in(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_job", job_id=job.pk)
    csv_files.list_taken(job.study, signed_in(request), facts)
    return FileResponse(file, as_attachment=True, filename=facts["filename"], content_type=csv_files.TYPE)


@require_POST
@job_required
def staff_job_cancel(request: HttpRequest, job: Job) -> HttpResponse:
    """Call it off, and go back to where the button was."""
    try:
        cancelled = job_cancel(job=job, actor=signed_in(request), now=server_now())
    except Refused as refusal:
        messages.info(request, str(refusal))
    else:
        ends = _("It ends at its next step.") if cancelled.is_open else _("It was cancelled before it began.")
        messages.success(request, ends)
    back = request.POST.get("next", "")
    # Not through `redirect`, which takes a text without a slash for the name of a page.
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return HttpResponseRedirect(back)
    return redirect("staff_job", job_id=job.pk)
