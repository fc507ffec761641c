"""Making a study, and planning it from its settings."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.forms.studies import AssumptionsForm, NewStudyForm
from console.selectors.design import assumptions_of, design_of, kept_plan
from console.services.locking import plan_keep
from judging.selectors.planned_cost import planned_judging
from presentation.problems import problem_in_words
from studies.models import BankVersion, Prompt, Study
from studies.protocol.settings import ProtocolSettings
from studies.roles import Can, SiteCan
from studies.services.clock import server_now
from studies.services.private_questions import BankIsPrivate
from studies.services.refusals import Refused
from studies.services.slugs import SlugInvalid
from studies.services.studies import StudyExists, study_create
from studies.views.access import signed_in, site_page, study_page


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_study_new(request: HttpRequest) -> HttpResponse:
    """A new draft with the pilot's settings; without any bank the way to import one."""
    form = NewStudyForm(
        request.POST or None,
        initial={"bank_version": request.GET.get("bank"), "is_simulated": "simulated" in request.GET},
    )
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            study = study_create(
                slug=values["slug"], name=values["name"], bank_version=values["bank_version"],
                item_bank=None, judge_protocol=None, settings=ProtocolSettings(), now=server_now(),
                actor=signed_in(request), is_simulated=values["is_simulated"],
            )  # fmt: skip
        except (SlugInvalid, StudyExists) as refusal:
            form.add_error("slug", str(refusal))
        except BankIsPrivate as refusal:
            form.add_error("bank_version", str(refusal))
        except Refused as refusal:
            form.add_error("name", problem_in_words(str(refusal)))
        else:
            return redirect("staff_setup", slug=study.slug)
    context = {"form": form, "has_bank": BankVersion.objects.exists()}
    return render(request, "console/setup/new.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_setup_plan(request: HttpRequest, study: Study) -> HttpResponse:
    """What the design can show under other assumptions; POST keeps them and the result with the study."""
    kept = kept_plan(study)
    initial = assumptions_of(kept).__dict__
    data = request.POST if request.method == "POST" else request.GET or initial
    form = AssumptionsForm(data)
    prompts = Prompt.objects.filter(version=study.bank_version_id).count()
    judging = planned_judging(study)
    design = design_of(study, prompts, form.assumed(), judging) if form.is_valid() else None
    if request.method == "POST" and design is not None:
        plan_keep(
            study=study, assumed=form.assumed(), design=design, now=server_now(), actor=signed_in(request)
        )
        messages.success(request, _("The plan is kept with the study."))
        return redirect("staff_setup_plan", slug=study.slug)
    context = {"study": study, "form": form, "design": design, "kept": kept, "prompts": prompts}
    return render(request, "console/setup/plan.html", context, status=422 if form.errors else 200)
