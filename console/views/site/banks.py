"""Question banks of the site: which there are, what they hold, uploading one."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.forms.uploads import BankForm
from console.selectors.banks import bank_facts, bank_versions, studies_using
from console.services.staging import bank_contents_kept
from console.views.site.uploads import chosen_before, left_to_a_job, uploaded
from presentation.codes import CodeNames
from presentation.listing import Column, Listing, page_of
from studies.forms.uploads import takes_large_files
from studies.models import BankVersion, Prompt
from studies.roles import SiteCan
from studies.selectors.private_questions import is_private, of_public, sees_private_of
from studies.services.clock import server_now
from studies.services.private_questions import private_seen_of_bank
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_page
from studies.views.csv_files import csv_file

PER_PAGE = 50
SHOWN_PROBLEMS = 200
BANK_COLUMNS: tuple[Column[Any], ...] = (
    Column("bank", gettext_lazy("Bank"), ("bank__slug", "number"), str),
    Column("format", gettext_lazy("Format"), ("format",)),
    Column("questions", gettext_lazy("Questions"), ("size",), numeric=True),
    Column("problems", gettext_lazy("Problems"), (), lambda row: len(row.problems), numeric=True),
    Column("imported", gettext_lazy("Imported"), ("imported_at",)),
    Column("used_by", gettext_lazy("Used by"), ("users",)),
)


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_banks(request: HttpRequest) -> HttpResponseBase:
    """Every version of every bank, with the studies on it; the same rows as CSV."""
    words = request.GET.get("q", "").strip()[:100]
    rows = bank_versions().filter(bank__slug__icontains=words) if words else bank_versions()
    listing = Listing(request, BANK_COLUMNS)
    rows = listing.ordered(rows)
    if listing.wants_csv:
        return csv_file(request, "banks", listing.lines(rows))
    page = listing.page(rows)
    used = studies_using("bank_version", [row.pk for row in page], signed_in(request))
    context = {
        "page": page,
        "rows": [(row, used[row.pk]) for row in page],
        "words": words,
        "listing": listing,
    }
    return render(request, "console/site/banks.html", context)


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_bank(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One version of a bank: what it holds and what was left out of it."""
    version = get_object_or_404(BankVersion.objects.select_related("bank"), bank__slug=slug, number=number)
    reader = signed_in(request)
    whole = sees_private_of(reader, version)
    prompts = Prompt.objects.filter(version=version)
    prompts = prompts.only("label", "prompt_id", "category", "modality", "split")
    page = page_of(request, prompts if whole else prompts.filter(of_public()), PER_PAGE)
    private = {row.label for row in page if is_private(row)}
    private_seen_of_bank(version=version, page="bank", labels=private, actor=reader, now=server_now())
    facts = bank_facts(version, with_private=whole)
    context = {
        "version": version,
        "names": CodeNames(version.category_names),
        "facts": facts,
        "prompts": page,
        "withheld": 0 if whole else facts.private,
        "studies": studies_using("bank_version", [version.pk], reader)[version.pk],
        # What was left out of a bank may be of private questions, too.
        "problems": version.problems[:SHOWN_PROBLEMS] if whole or not facts.private else [],
    }
    return render(request, "console/site/bank.html", context)


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_bank_upload(request: HttpRequest) -> HttpResponse:
    """Choose a file; it is read and shown before anything is stored."""
    initial = {"slug": request.GET.get("slug"), **chosen_before(request)}
    form = BankForm(request.POST or None, request.FILES or None, initial=initial)
    if left := uploaded(request, "read_bank", form, slug_of="a bank"):
        return left
    return render(
        request, "console/site/bank_upload.html", {"form": form}, status=422 if form.errors else 200
    )


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_bank_read(request: HttpRequest, upload: str) -> HttpResponse:
    """What was read of an uploaded bank, to be imported from here."""
    try:
        contents, chosen = bank_contents_kept(upload)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_bank_upload")
    context = {"contents": contents, "chosen": chosen, "token": upload}
    return render(request, "console/site/bank_read.html", context)


@site_page(SiteCan.MAKE_STUDIES)
@require_POST
def staff_bank_import(request: HttpRequest) -> HttpResponse:
    """Store what was read and shown."""
    token, partial = request.POST.get("token", ""), request.POST.get("partial") == "yes"
    try:
        _contents, chosen = bank_contents_kept(token)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_bank_upload")
    return left_to_a_job(request, "import_bank", {**chosen, "token": token, "partial": partial})
