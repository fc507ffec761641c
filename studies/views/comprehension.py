"""The comprehension check before the start."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from studies.forms.people import CheckForm
from studies.models import Participant
from studies.selectors.participants import check_attempts_left, newest_attempt
from studies.services.clock import server_now
from studies.services.people.comprehension import (
    AttemptCounted,
    CheckNotAsked,
    NoAttemptsLeft,
    QuestionsChanged,
    check_answer,
    require_check_asked,
)
from studies.views.access import for_participant


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def study_check(request: HttpRequest, participant: Participant) -> HttpResponse:
    """GET shows the questions and what came of the newest try; POST counts one try."""
    try:
        require_check_asked(participant)
        return _answered(request, participant) if request.method == "POST" else _page(request, participant)
    except CheckNotAsked as refusal:
        messages.info(request, str(refusal))
        return redirect("study_home", slug=participant.study.slug)


def _answered(request: HttpRequest, participant: Participant) -> HttpResponse:
    form = _check_form(participant, request.POST)
    try:
        if form.is_stale:
            raise QuestionsChanged
        if not form.is_valid():
            return _page(request, participant, form)
        attempt = check_answer(
            participant=participant,
            choices=form.choices,
            attempt=form.cleaned_data["attempt"],
            shown_sha256=form.cleaned_data["shown"],
            now=server_now(),
        )
    except NoAttemptsLeft:
        return redirect("study_check", slug=participant.study.slug)  # which says so
    except (AttemptCounted, QuestionsChanged) as refusal:
        messages.warning(request, str(refusal))
        return redirect("study_check", slug=participant.study.slug)
    if not attempt.passed:
        return redirect("study_check", slug=participant.study.slug)
    messages.success(request, _("All your answers are right. You can go on."))
    return redirect("study_home", slug=participant.study.slug)


def _check_form(participant: Participant, data: QueryDict | None = None) -> CheckForm:
    return CheckForm(participant.study.protocol, participant.check_tries.count() + 1, data)


def _page(request: HttpRequest, participant: Participant, form: CheckForm | None = None) -> HttpResponse:
    context = {
        "participant": participant,
        "study": participant.study,
        "form": form or _check_form(participant),
        "attempts_left": check_attempts_left(participant),
        "newest": newest_attempt(participant),
    }
    return render(request, "studies/comprehension.html", context, status=422 if form else 200)
