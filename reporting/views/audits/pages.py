"""Audits of judges by people: a sample is drawn, downloaded for raters, sent back, and compared."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from formats.problems import grouped
from jobs.selectors import unless_done
from jobs.services.starting import job_needed, job_start
from judging.audit_sheet import sheet_cells
from judging.models import AuditSample, JudgingRun
from judging.selectors.audits import (
    audit_samples,
    drawn_from_public,
    has_public_scope,
    private_items,
    private_labels,
    sheet_rows,
)
from judging.services.audit_asking import DRAWING, audit_draw_start
from judging.services.audit_ratings import RatingsImport, RatingsRefused, ratings_import
from judging.views.runs import run_page
from presentation.numbers import numbered
from psychometrics.inference.measure import Scope
from reporting.forms.audits import DrawForm, RatingsForm
from reporting.views.audits.tables import judges_shown, strata_shown
from reporting.views.measurement.scopes import scope_of_scores
from scoring.selectors.audit_results import AUDITS, audit_result
from screening.selectors.participants import undecided_participants
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import Guarded, page_refused, private_shown, rights_here, signed_in
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required

PROBLEMS_SHOWN = 100
SampleView = Callable[[HttpRequest, AuditSample], HttpResponseBase]


def _sample_required(view: SampleView) -> Guarded:
    """Give the view the sample of the address; 404 where the run has no such sample."""

    @wraps(view)
    def guarded(request: HttpRequest, run: JudgingRun, sample: int) -> HttpResponseBase:
        chosen = audit_samples(run).filter(pk=sample).first()
        if chosen is None:
            raise Http404
        return view(request, chosen)

    return run_page(Can.REVIEW)(guarded)


@run_page(Can.REVIEW)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_audit(request: HttpRequest, run: JudgingRun) -> HttpResponse:
    """The samples of a run; POST asks for another one, which takes the right to judge."""
    if request.method == "POST" and Can.JUDGE not in rights_here(request):
        return page_refused(request, run.study)
    form = DrawForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            audit_draw_start(run=run, **form.cleaned_data, actor=signed_in(request), now=server_now())
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("staff_audit", slug=run.study.slug, number=run.pk)
    return _audit_page(request, run, draw_form=form)


@_sample_required
@require_http_methods(["GET", "HEAD", "POST"])
def staff_audit_sample(request: HttpRequest, sample: AuditSample) -> HttpResponse:
    """One sample and what it says so far; POST takes over a rated sheet."""
    run = sample.judging_run
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = RatingsForm(*sent, names_rater=Can.JUDGE in rights_here(request))
    if request.method == "POST" and form.is_valid():
        try:
            result = ratings_import(
                sample=sample,
                reading=form.reading,
                rater=form.cleaned_data.get("rater") or signed_in(request).email,
                actor=signed_in(request),
                now=server_now(),
            )
        except RatingsRefused as refusal:
            form.problems = tuple(grouped(refusal.problems))
        else:
            messages.success(request, import_sentence(result))
            with suppress(Refused):  # a whole sheet at once: nobody waits as the page does by itself
                job_start(kind=AUDITS, study=run.study, actor=signed_in(request), now=server_now())
            return redirect("staff_audit_sample", slug=run.study.slug, number=run.pk, sample=sample.pk)
    return _audit_page(request, run, sample=sample, ratings_form=form)


@_sample_required
@require_safe
@proof_required
def staff_audit_sheet(request: HttpRequest, sample: AuditSample) -> HttpResponseBase:
    """The sheet for raters."""
    study = sample.judging_run.study
    rights = rights_here(request)
    if Can.SEE_PRIVATE in rights:
        private_shown(request, study, "audit", private_labels(sample))
    rows = sheet_cells(sample.pk, sheet_rows(sample, rights), canaries=study.bank_version.canaries)
    return csv_file(request, f"audit-{sample.pk}", rows, study=study)


def import_sentence(result: RatingsImport) -> str:
    """What became of a sheet."""
    sentence = _("New: %(added)d. Replaced: %(replaced)d. Unchanged: %(unchanged)d.")
    if result.gone:
        sentence += " " + _("Left out, because the answers count no more: %(gone)d.")
    return numbered(sentence, asdict(result))


def _audit_page(
    request: HttpRequest,
    run: JudgingRun,
    *,
    sample: AuditSample | None = None,
    draw_form: DrawForm | None = None,
    ratings_form: RatingsForm | None = None,
) -> HttpResponse:
    basis = scope_of_scores(request, run.study, choice=bool(sample and has_public_scope(sample)))
    result = audit_result(sample, basis.scope or Scope.PUBLIC) if sample else None
    # Who rates and neither judges nor sees results must not know what judges and others said; nor who still
    # decides on people what those scored.
    may_know = bool({Can.JUDGE, Can.SEE_RESULTS} & rights_here(request))
    decides = Can.REVIEW in rights_here(request) and undecided_participants(run.study).exists()
    may_see = may_know and not decides
    draws = Can.JUDGE in rights_here(request) and not sample
    job = unless_done(run.study, DRAWING) if draws else None
    if result and may_see and not result.is_current:
        with suppress(Refused):  # an archive stays as it is
            job = job_needed(kind=AUDITS, study=run.study, actor=signed_in(request), now=server_now())
    problems = ratings_form.problems if ratings_form else ()
    context = {
        "study": run.study,
        "run": run,
        "audits": audit_samples(run),
        "sample": sample,
        "result": result,
        "job": job,
        "judges": judges_shown(result) if result and may_see else (),
        "strata": strata_shown(result) if result and may_see else (),
        "is_hidden": may_know and decides,
        "private": private_items(sample) if sample else 0,
        "sees_private": Can.SEE_PRIVATE in rights_here(request),
        "draws_public": drawn_from_public(run.study, wished=False),
        "draw_form": draw_form,
        "ratings_form": ratings_form,
        "problems": problems[:PROBLEMS_SHOWN],
        "more_problems": max(len(problems) - PROBLEMS_SHOWN, 0),
        **basis.context,
    }
    refused = any(form is not None and form.errors for form in (draw_form, ratings_form)) or bool(problems)
    return render(request, "reporting/audit.html", context, status=422 if refused else 200)
