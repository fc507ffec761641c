"""Exports of a study: made by a job, listed, taken away by a link that ends."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from jobs.selectors import unless_done
from jobs.services.starting import job_start
from presentation.listing import Column, Listing
from scoring.models import ExportContents, ExportTaking
from scoring.selectors.export_files import export_files, publication_of, takings
from scoring.services.export_deleting import KEPT
from scoring.services.export_files import LINK, file_take, link_token
from scoring.views.publication import publication_form, publication_take
from screening.selectors.participants import undecided_participants
from screening.views.blinding import results_hidden
from studies.models import Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.events import departures
from studies.services.refusals import Refused
from studies.views.access import page_refused, rights_here, signed_in, study_page
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required

TAKINGS_SHOWN = 8
TAKINGS = "takings"  # asked for in place of the files
JOBS = ("export", "report")
FILE_COLUMNS: tuple[Column[Any], ...] = (
    Column("made_at", gettext_lazy("Made"), ("made_at",)),
    Column("contents", gettext_lazy("Contents"), ("contents",)),
    Column("rows", gettext_lazy("Rows"), ("rows",), numeric=True),
    Column("bytes", gettext_lazy("Size"), ("size",), numeric=True),
    Column("taken", gettext_lazy("Taken"), ("taken",), numeric=True),
    Column("", gettext_lazy("Download"), hidden=True),
)
TAKING_COLUMNS: tuple[Column[ExportTaking], ...] = (
    Column("taken_at", gettext_lazy("Taken"), ("taken_at",)),
    Column("taken_by", gettext_lazy("By"), ("taken_by__email",)),
    Column("contents", gettext_lazy("Contents"), ("file__contents",)),
    Column("made_at", gettext_lazy("Made"), ("file__made_at",)),
)
FILE = {
    "made_at": "made_at", "contents": "contents", "made_by": "made_by__email", "rows": "rows",
    "bytes": "size", "sha256": "sha256", "taken": "taken", "deleted_at": "deleted_at",
}  # fmt: skip


@study_page(Can.EXPORT)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_exports(request: HttpRequest, study: Study) -> HttpResponseBase:
    """What leaves and what never does; make an export, or say how it is published; those that were made, and
    who took them.
    """
    if "licence" in request.POST and Can.SET_UP not in rights_here(request):
        return page_refused(request, study)
    refused = publication_take(request, study) if "licence" in request.POST else None
    if request.method == "POST" and not refused:
        return (
            redirect("staff_exports", slug=study.slug)
            if "licence" in request.POST
            else _start(request, study)
        )
    chosen = request.GET.get("contents", "")
    chosen = chosen if chosen in ExportContents.values else ""
    shows_takings = request.GET.get("show") == TAKINGS
    listing, rows = (_takings if shows_takings else _files)(request, study, chosen)
    if listing.wants_csv:
        name = "downloads" if shows_takings else "exports"
        return csv_file(request, name, listing.lines(rows), study=study)
    page = listing.page(rows)
    now, user = server_now(), signed_in(request)
    job = unless_done(study, *JOBS)
    # Whoever may decide sees no scores before that is done (screening.views.blinding).
    waiting = undecided_participants(study).count() if Can.REVIEW in rights_here(request) else 0
    context = {
        "study": study,
        "publication": publication_of(study),
        "publication_form": refused or publication_form(study),
        "waiting": waiting,
        "job": job,
        "departures": departures(study),
        "page": page,
        "shows_takings": shows_takings,
        "rows": [] if shows_takings else [(file, link_token(file, user, now=now)) for file in page],
        "takings": takings(study)[:TAKINGS_SHOWN],
        "contents": ExportContents.choices,
        "chosen": chosen,
        "listing": listing,
        "kept_days": KEPT.days,
        "link_minutes": int(LINK.total_seconds() // 60),
    }
    return render(request, "scoring/exports.html", context, status=422 if refused else 200)


def _files(request: HttpRequest, study: Study, contents: str) -> tuple[Listing[Any], QuerySet[Any]]:
    listing, files = Listing(request, FILE_COLUMNS, FILE), export_files(study)
    return listing, listing.ordered(files.filter(contents=contents) if contents else files)


def _takings(request: HttpRequest, study: Study, contents: str) -> tuple[Listing[Any], QuerySet[Any]]:
    listing, taken = Listing(request, TAKING_COLUMNS), takings(study)
    return listing, listing.ordered(taken.filter(file__contents=contents) if contents else taken)


def _start(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask for the job. Pressed twice, it is the same one."""
    wanted = request.POST.get("contents", "")
    if wanted not in ExportContents.values:
        messages.error(request, _("Nothing was started: choose what the file is to hold."))
        return redirect("staff_exports", slug=study.slug)
    is_report = wanted == ExportContents.REPORT
    arguments = {"language": get_language() or "en"} if is_report else {"contents": wanted}
    try:
        job_start(
            kind="report" if is_report else "export",
            study=study,
            actor=signed_in(request),
            arguments=arguments,
            now=server_now(),
        )
    except Refused as refusal:
        messages.error(request, str(refusal))
    from_report = request.POST.get("back") == "report"
    return redirect("staff_report" if from_report else "staff_exports", slug=study.slug)


@study_page(Can.EXPORT)
@require_safe
@proof_required
def staff_export_file(request: HttpRequest, study: Study, file_id: UUID) -> HttpResponseBase:
    """The file itself, while its link holds and for the account it was made for.

    That it is taken is recorded; asking for its head alone takes nothing.
    """
    if hidden := results_hidden(request, study):
        return hidden
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    try:
        file, content = file_take(
            study=study,
            file_id=file_id,
            token=request.GET.get("link", ""),
            user=signed_in(request),
            now=server_now(),
        )
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_exports", slug=study.slug)
    name = f"{study.slug}-{file.contents}-{file.made_at:%Y-%m-%d}.zip"
    return FileResponse(content, as_attachment=True, filename=name, content_type="application/zip")
