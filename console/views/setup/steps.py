"""Setting up a study: one page a step, with what is missing and what the design can show beside it."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.forms.step_form import StepForm
from console.forms.steps import STEP_FORMS
from console.selectors.design import assumptions_of, design_of
from console.selectors.readiness import readiness
from console.selectors.steps import STEP_LABELS, TEXT_PAGES, setup_steps, step_of
from console.views.setup.step_facts import step_facts
from formats.codes import number_asked
from presentation.problems import problem_in_words
from scoring.services.model_versions import models_take
from studies.models import Study, StudyStatus
from studies.protocol.settings import ProtocolRefused
from studies.roles import Can
from studies.selectors.categories import undecided
from studies.selectors.private_questions import private_labels
from studies.services.clock import server_now
from studies.services.drafts import DraftChanged, draft_part, draft_save, draft_sha256
from studies.services.refusals import Refused
from studies.views.access import private_shown, rights_here, signed_in, study_page

PAGES = (
    "questions", "items", "people", "time", "told", "consent", "instructions", "receipt", "translations",
    "tools", "arms", "practice", "offtask", "judge", "reporting",
)  # fmt: skip
# The participant's page that shows what a page of the set-up decides.
PREVIEWS = {
    "told": "consent", "consent": "consent", "instructions": "instructions", "start": "start",
    "receipt": "receipt", "tools": "start", "time": "start", "arms": "start",
}  # fmt: skip


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_setup(request: HttpRequest, study: Study) -> HttpResponse:
    """The first step that is not done; of a locked study the whole protocol."""
    context = setup_context(study, "", server_now())
    left = [step for step in context["steps"] if step.state != "done"]
    if study.status != StudyStatus.DRAFT or not left:
        return redirect("staff_lock", slug=study.slug)
    return redirect("staff_setup_step", slug=study.slug, page=left[0].page)


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_setup_step(request: HttpRequest, study: Study, page: str) -> HttpResponse:
    """One page of the set-up with what is stored."""
    if page not in PAGES and page != "start":
        raise Http404
    kind = STEP_FORMS.get(page)
    return step_page(request, study, page, kind(study) if kind else None)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_setup_save(request: HttpRequest, study: Study, page: str) -> HttpResponse:
    """Save one page, or give one of its lists another empty entry."""
    if page not in STEP_FORMS:
        raise Http404
    if request.method != "POST":
        return redirect("staff_setup_step", slug=study.slug, page=page)
    more = request.POST.get("more", "")
    form = STEP_FORMS[page](study, request.POST, more=more)
    if more:
        form.is_valid()  # what was written is kept, whatever becomes of it
        return step_page(request, study, page, form, seen=request.POST.get("seen", ""))
    if not form.is_valid():
        return step_page(request, study, page, form, status=422, seen=request.POST.get("seen", ""))
    return _saved(request, study, page, form)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_models_take(request: HttpRequest, study: Study) -> HttpResponse:
    """Compare a locked study with the newest results of models, as they were looked at on its page."""
    if request.method == "POST":
        try:
            models_take(
                study=study, seen=number_asked(request.POST.get("seen", "")) or 0, now=server_now(),
                actor=signed_in(request),
            )  # fmt: skip
        except Refused as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(
                request,
                _("The results of models are taken over. Recompute the results to compare with them."),
            )
    return redirect("staff_setup_step", slug=study.slug, page="items")


def _saved(request: HttpRequest, study: Study, page: str, form: StepForm) -> HttpResponse:
    try:
        draft_save(
            study=study, step=page, settings=form.settings(), row=form.row(),
            seen=request.POST.get("seen", ""), now=server_now(), actor=signed_in(request),
        )  # fmt: skip
    except DraftChanged as refusal:
        form.add_error(None, str(refusal))
        others = _differences(study, form)
        return step_page(request, study, page, form, status=409, others=others)
    except ProtocolRefused as refusal:
        form.refuse(refusal)
    except Refused as refusal:
        form.add_error(None, problem_in_words(str(refusal)))
    else:
        messages.success(request, _("Saved."))
        if page == "items" and undecided(Study.objects.get(pk=study.pk)):
            messages.warning(request, _("The two banks disagree on categories; say below which holds."))
            return redirect("staff_setup_step", slug=study.slug, page=page)
        if request.POST.get("go") != "next":
            return redirect("staff_setup_step", slug=study.slug, page=page)
        following = next_page(page)
        if not following:
            return redirect("staff_lock", slug=study.slug)
        return redirect("staff_setup_step", slug=study.slug, page=following)
    return step_page(request, study, page, form, status=422, seen=request.POST.get("seen", ""))


def next_page(page: str) -> str:
    """The page after this one; nothing after the last."""
    if page == "start":
        return "receipt"
    place = PAGES.index(page) + 1
    return PAGES[place] if place < len(PAGES) else ""


def _differences(study: Study, form: StepForm) -> list[dict[str, object]]:
    """What is stored now and what was written, where they differ."""
    stored = draft_part(study, form.names())
    written = {**form.settings(), **form.row()}
    label = {name: field.label for name, field in form.fields.items()}
    label |= {name: rows.label for name, rows in form.rows.items()}
    differences = []
    for name, value in stored.items():
        mine = getattr(written[name], "pk", written[name])
        if str(mine) != str(value):
            differences.append({"label": label[name], "stored": value, "written": written[name]})
    return differences


def step_page(
    request: HttpRequest,
    study: Study,
    page: str,
    form: StepForm | None,
    *,
    status: int = 200,
    seen: str = "",
    others: list[dict[str, object]] | None = None,
) -> HttpResponse:
    """One page of the set-up; `seen` keeps the fingerprint of what its form was opened with."""
    following = next_page(page)
    context = setup_context(study, page, server_now())
    facts = step_facts(study, page, context["plan"])
    if Can.SET_UP in rights_here(request):  # to others the page names no question
        listed = {question.label for question in facts.get("disagreements", ())}
        private_shown(request, study, "items", private_labels(study, listed))
    context |= {
        "form": form,
        "seen": seen or (draft_sha256(study, form.names()) if form else ""),
        "others": others,
        "following": TEXT_PAGES.get(following) or STEP_LABELS.get(following) or _("Lock"),
        "following_page": following,
        "preview": PREVIEWS.get(page, ""),
        "facts": facts,
    }
    return render(request, "console/setup/step.html", context, status=status)


def setup_context(study: Study, page: str, now: datetime) -> dict[str, Any]:
    """What every page of the set-up shows beside its own part."""
    ready = readiness(study, now)
    plan, prompts, saved = ready.plan, ready.prompts, ready.saved
    return {
        "study": study,
        "protocol": study.protocol,
        "plan": plan,
        "prompts": prompts,
        "page": page,
        "step": step_of(page),
        "text_pages": TEXT_PAGES.items(),
        "saved": saved,
        "steps": setup_steps(
            study,
            prompts=prompts,
            plan=plan,
            saved=saved,
            missing=ready.missing_pages,
            to_look_at=ready.open_pages,
        ),
        "ready": ready,
        "is_draft": study.status == StudyStatus.DRAFT,
        "kept": saved.kept,
        "design": design_of(study, prompts, assumptions_of(saved.kept), ready.judging),
    }
