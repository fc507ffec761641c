"""The report of a study for its team: what is in it, its files, and the checklist that completes it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from jobs.selectors import unless_done
from reporting.forms.checklist import ChecklistForm
from reporting.report.html import POLICY, document_html
from reporting.selectors.checklist_items import answers_of
from reporting.selectors.report_records import study_records
from reporting.services.study_reports import checklist_answer
from reporting.views.report.checklist_records import checklist_parts, state_counts
from reporting.views.report.front import reported_headline
from reporting.views.report.methods import methods_texts
from reporting.views.report.parts import changes_words, newest_moment, study_document
from scoring.models import ExportContents
from scoring.selectors.export_files import newest_file
from scoring.services.export_files import link_token
from screening.views.blinding import results_hidden, unblinded_study_required
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.views.access import signed_in, study_page
from studies.views.second_factor import proof_required


@unblinded_study_required
@require_safe
def staff_report(request: HttpRequest, study: Study) -> HttpResponse:
    """The methods paragraph, the files, and the checklist with a form for every item."""
    return _report_page(request, study)


@unblinded_study_required
@require_safe
@proof_required
def staff_report_file(request: HttpRequest, study: Study, extension: str) -> HttpResponse:
    """The report to read as it is now. What is kept of it, as HTML and PDF, a job writes."""
    if extension != "html":
        raise Http404
    return HttpResponse(
        document_html(study_document(study)),
        content_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": POLICY},
    )


@study_page(Can.SET_UP)
@require_POST
def staff_checklist(request: HttpRequest, study: Study) -> HttpResponse:
    """Take over the lead's answer to one item."""
    form = ChecklistForm(request.POST)
    if not form.is_valid():
        return results_hidden(request, study) or _report_page(request, study, form)
    item = form.cleaned_data["item"]
    checklist_answer(
        study=study, item=item, text=form.cleaned_data["text"], actor=signed_in(request), now=server_now()
    )
    messages.success(request, _("Item %(item)s is answered.") % {"item": item})
    return redirect(f"{reverse('staff_report', args=[study.slug])}#item-{item}")


def _report_page(request: HttpRequest, study: Study, form: ChecklistForm | None = None) -> HttpResponse:
    """The page; `form` holds a refused answer, which is shown at its item with what is wrong."""
    records, answers = study_records(study), answers_of(study)
    sections, changes = checklist_parts(records, answers), changes_words(records)
    job, file = unless_done(study, "report"), newest_file(study, ExportContents.REPORT)
    context = {
        "study": study,
        "job": job,
        "file": file,
        "token": link_token(file, signed_in(request), now=server_now()) if file else "",
        "is_old": file is not None and (newest_moment(records, answers) > file.made_at or bool(changes)),
        "records": records,
        "methods": methods_texts(records, reported_headline(records)),
        "changes": changes,
        "sections": sections,
        "items": sum(state_counts(sections).values()),
        "counts": {state.value: number for state, number in state_counts(sections).items()},
        "answers": answers,
        "form": form,
        "refused": form.data.get("item", "") if form else "",
    }
    return render(request, "reporting/report.html", context, status=422 if form else 200)
