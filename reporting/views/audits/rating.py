"""Audits of a study: its samples, a new one, and answers rated one by one, blind to the judge's word."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods

from formats.codes import number_asked
from jobs.selectors import unless_done
from judging.models import AuditSample
from judging.selectors.audits import drawn_from_public, private_items, study_samples
from judging.selectors.judges import judge_name
from judging.selectors.rating import ItemShown, item_entries, item_shown, samples_with_progress
from judging.selectors.runs import newest_scores_run
from judging.selectors.viewing import explanation_of
from judging.services.audit_asking import DRAWING, audit_draw_start
from judging.services.audit_rating import ItemRefused, RatedByAnother, item_rate
from presentation.listing import Column, Listing, page_of
from presentation.numbers import decimals, numbered
from reporting.forms.audits import DrawForm, RatingForm
from screening.selectors.participants import undecided_participants
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import page_refused, private_shown, rights_here, signed_in, study_page
from studies.views.csv_files import csv_file

SAMPLES_PER_PAGE = 20
SAMPLE_COLUMNS: tuple[Column[Any], ...] = (
    Column("sample", gettext_lazy("Sample"), ("pk",)),
    Column("run", gettext_lazy("Run"), ("judging_run",), "judging_run_id"),
    Column("rated", gettext_lazy("Rated"), ("rated",)),
    Column("by_you", gettext_lazy("By you"), ("mine",), numeric=True),
    Column("drawn", gettext_lazy("Drawn"), ("drawn_at",)),
    Column("", gettext_lazy("What you can do"), hidden=True),
)
ITEMS_PER_PAGE = 50


@study_page(Can.REVIEW)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_audits(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The samples of the study with how far they are; POST asks for another one from the newest run."""
    form = DrawForm(request.POST if request.method == "POST" else None)
    run = newest_scores_run(study)
    if request.method == "POST" and Can.JUDGE not in rights_here(request):
        return page_refused(request, study)
    if request.method == "POST" and form.is_valid() and run is not None:
        try:
            audit_draw_start(run=run, **form.cleaned_data, actor=signed_in(request), now=server_now())
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("staff_audits", slug=study.slug)
    samples = samples_with_progress(study, signed_in(request).email)
    newest = samples.first()
    listing = Listing(request, SAMPLE_COLUMNS, per_page=SAMPLES_PER_PAGE)
    samples = listing.ordered(samples)
    if listing.wants_csv:
        return csv_file(request, "audit-samples", listing.lines(samples), study=study)
    page = listing.page(samples)
    context = {
        "study": study, "page": page, "newest": newest, "run": run, "form": form, "listing": listing,
        "draws_public": drawn_from_public(study, wished=False),
        "job": unless_done(study, DRAWING) if Can.JUDGE in rights_here(request) else None,
    }  # fmt: skip
    return render(request, "reporting/audits.html", context, status=422 if form.errors else 200)


@study_page(Can.REVIEW)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_audit_rate(request: HttpRequest, study: Study, sample: int) -> HttpResponse:
    """One answer of a sample, the next that is not rated unless another is asked for; POST rates it."""
    chosen = study_samples(study).filter(pk=sample).first()
    if chosen is None:
        raise Http404
    if request.method != "POST":
        return _rating_page(request, study, chosen, number_asked(request.GET.get("number", "")))
    form = RatingForm(request.POST)
    if not form.is_valid():
        number = number_asked(request.POST.get("number", ""))
        return _rating_page(request, study, chosen, number, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    number = form.cleaned_data["number"]
    try:
        item_rate(
            sample=chosen, number=number, score=form.cleaned_data["score"],
            comment=form.cleaned_data["comment"], actor=signed_in(request), now=server_now(),
        )  # fmt: skip
    except ItemRefused as refusal:
        status = (
            HTTPStatus.CONFLICT if isinstance(refusal, RatedByAnother) else HTTPStatus.UNPROCESSABLE_ENTITY
        )
        return _rating_page(request, study, chosen, number, form=form, refused=str(refusal), status=status)
    messages.success(request, numbered(_("Number %(number)d is rated."), {"number": number}))
    return redirect(reverse("staff_audit_rate", args=[study.slug, chosen.pk]))


def _rating_page(
    request: HttpRequest,
    study: Study,
    sample: AuditSample,
    number: int | None,
    *,
    form: RatingForm | None = None,
    refused: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    rights = rights_here(request)
    entries = item_entries(sample, signed_in(request).email, rights)
    # Where none is asked for: the first that nobody has rated, else the first of all.
    unrated = next((entry.number for entry in entries if not entry.is_rated), None)
    chosen = number or unrated or (entries[0].number if entries else None)
    item = item_shown(sample, chosen, rights) if chosen else None
    if number is not None and item is None and not refused:
        raise Http404
    if item and item.is_private:
        private_shown(request, study, "audit", [item.label])
    numbers = [entry.number for entry in entries]
    place = numbers.index(chosen) if chosen in numbers else 0
    page = page_of(request, entries, ITEMS_PER_PAGE, default=place // ITEMS_PER_PAGE + 1)
    is_mine = any(entry.number == chosen and entry.is_mine for entry in entries)
    context = {
        "study": study, "sample": sample, "shown": item, "page": page, "entries": page.object_list,
        "place": place + 1, "total": len(entries), "rated": sum(entry.is_rated for entry in entries),
        "previous": numbers[place - 1] if place else "",
        "following": numbers[place + 1] if place + 1 < len(numbers) else "",
        "withheld": 0 if Can.SEE_PRIVATE in rights else private_items(sample),
        "form": form, "refused": refused, "may_rate": item and (not item.is_rated or is_mine),
        "own_score": item.item.human_score if item and is_mine else None,
        **_judge_context(request, study, item),
    }  # fmt: skip
    return render(request, "reporting/audit_rate.html", context, status=status)


def _judge_context(request: HttpRequest, study: Study, item: ItemShown | None) -> dict[str, object]:
    """What the judge said, once it is rated, for whoever may know scores and decides on nobody any more."""
    may_know = {Can.JUDGE, Can.SEE_RESULTS} & rights_here(request)
    if item is None or not item.is_rated or not may_know or undecided_participants(study).exists():
        return {"judge": None}
    row = item.item.row
    return {
        "judge": judge_name(row.run),
        "judge_score": decimals(row.score, 2), "confidence": decimals(row.confidence, 2),
        "explanation": explanation_of(row),
    }  # fmt: skip
