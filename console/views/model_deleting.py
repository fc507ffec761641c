"""Models' results that were uploaded by mistake: what rests on them, and taking them out again."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods

from console.forms.uploads import ModelDeleteForm
from jobs.services.starting import job_start
from presentation.numbers import numbered
from scoring.jobs import RESULTS
from scoring.models import ModelConfiguration
from scoring.selectors.leaderboards import imported_with, studies_resting_on
from scoring.services.model_deleting import models_delete
from scoring.services.model_versions import UNPUBLISHED
from studies.models import Study
from studies.roles import SiteCan
from studies.selectors.roles import studies_of_staff
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_page


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_model_delete(request: HttpRequest, model: int) -> HttpResponse:
    """Ask, with what depends on it; then delete this model, or all that came with it."""
    stored = ModelConfiguration.objects.exclude(until=UNPUBLISHED).select_related("item_bank")
    row = get_object_or_404(stored, pk=model)
    together = list(imported_with(row))
    resting = studies_resting_on(together)
    own = studies_of_staff(signed_in(request)).filter(pk__in=[study.pk for study in resting])
    form = ModelDeleteForm(request.POST or None, several=len(together) > 1, resting=bool(resting))
    if request.method == "POST" and form.is_valid():
        chosen = together if form.cleaned_data.get("which") == ModelDeleteForm.ALL else [row]
        try:
            studies = models_delete(
                models=chosen, recompute=bool(form.cleaned_data.get("recompute")),
                actor=signed_in(request), now=server_now(),
            )  # fmt: skip
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            _recompute(request, studies)
            done = ngettext("%(number)d model deleted.", "%(number)d models deleted.", len(chosen))
            messages.success(request, numbered(done, {"number": len(chosen)}))
            return redirect("staff_models")
    context = {"model": row, "together": together, "resting": resting, "own": own, "form": form}
    return render(request, "console/site/model_delete.html", context, status=422 if form.errors else 200)


def _recompute(request: HttpRequest, studies: list[Study]) -> None:
    """Start computing the results again; where that is refused the page says so."""
    started = []
    for study in studies:
        try:
            job_start(kind=RESULTS, study=study, actor=signed_in(request), now=server_now())
        except Refused as refusal:
            messages.error(request, f"{study.name}: {refusal}")
        else:
            started.append(study.name)
    if started:
        names = ", ".join(started)
        messages.info(request, _("Results are being computed again: %(studies)s") % {"studies": names})
