"""Rehearsing a study with simulated people, and the demo's study."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from console.forms.studies import MAX_REHEARSED, RehearsalForm
from jobs.selectors import newest_job
from operations.services.demo_people import STUDY as DEMO
from operations.services.rehearsal_starting import (
    REHEARSAL,
    REHEARSAL_COPY,
    demo_study_start,
    places_of,
    rehearsal_start,
    through_of,
)
from presentation.problems import problem_in_words
from studies.models import Study, StudyStatus
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights, studies_of_staff
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_page, study_page

PEOPLE = 24


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_rehearsal(request: HttpRequest, study: Study) -> HttpResponse:
    """Let simulated people answer a simulated study, or a copy of a real one, which a job makes."""
    user, now = signed_in(request), server_now()
    places = places_of(study) if study.is_simulated else 0
    form = RehearsalForm(
        request.POST if request.method == "POST" else None,
        initial={"people": min(places or PEOPLE, MAX_REHEARSED), "off_task": True},
    )
    may = study.is_simulated or SiteCan.MAKE_STUDIES in site_rights(user)
    if request.method == "POST" and may and form.is_valid():
        try:
            rehearsal_start(study=study, actor=user, now=now, **form.cleaned_data)
            return redirect("staff_rehearsal", slug=study.slug)
        except Refused as refusal:
            for sentence in str(refusal).splitlines():
                form.add_error(None, problem_in_words(sentence))
    context = {
        "study": study,
        "form": form,
        "may": may,
        "is_locked": study.status == StudyStatus.FROZEN,
        "places": places,
        # Where nobody is left who could answer there is nothing to start.
        "offers": may and not (study.is_simulated and places and places <= through_of(study)),
        "job": newest_job(study, REHEARSAL, REHEARSAL_COPY),
    }
    return render(request, "console/rehearsal.html", context, status=422 if form.errors else 200)


@require_POST
@site_page(SiteCan.MAKE_STUDIES)
def staff_demo_study(request: HttpRequest) -> HttpResponse:
    """Make the demo's study, with its models, and let simulated people answer; who has it is led there."""
    user, now = signed_in(request), server_now()
    study = studies_of_staff(user).filter(slug__startswith=DEMO, is_simulated=True).first()
    if study is None:
        return redirect("staff_job", demo_study_start(people=PEOPLE, actor=user, now=now).pk)
    return redirect("staff_rehearsal", slug=study.slug)
