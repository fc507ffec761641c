"""Deleting drafts, simulated studies and what no study uses; archiving studies that are over."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.models import JudgeConfig
from operations.services.archiving import study_archive
from operations.services.deleting import (
    Deletable,
    Gone,
    has_people,
    may_delete,
    require_deletable,
    site_row_delete,
    studies_resting_on,
    what_goes,
)
from studies.models import BankVersion, ItemBank, JudgeProtocol, Study
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights, studies_of_staff, study_rights
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import page_refused, signed_in, site_page, study_page
from studies.views.second_factor import proof_to_change

# What may be deleted, with the list that it stands in.
KINDS: Mapping[str, tuple[type[Deletable], str]] = {
    "study": (Study, "staff_home"),
    "bank": (BankVersion, "staff_banks"),
    "item-bank": (ItemBank, "staff_item_banks"),
    "judge-texts": (JudgeProtocol, "staff_judge_texts"),
    "judge": (JudgeConfig, "staff_judges"),
}


@site_page(SiteCan.PLAN)
@require_http_methods(["GET", "HEAD", "POST"])
@proof_to_change
def staff_delete(request: HttpRequest, kind: str, number: int) -> HttpResponse:
    """Say what goes and what stays, or who keeps it; then delete it."""
    if kind not in KINDS:
        raise Http404("nothing of this kind is deleted")
    table, back = KINDS[kind]
    if refused := _refused(request, kind, number):
        return refused
    row: Deletable = get_object_or_404(table, pk=number)  # type: ignore[assignment]  # one of the tables
    user, problem, why = signed_in(request), "", ""
    try:
        require_deletable(row, actor=user)
    except Refused as refusal:
        why = str(refusal)
    if request.method == "POST":
        typed = request.POST.get("typed", "")
        try:
            site_row_delete(row=row, typed=typed, actor=user, now=server_now())
        except Gone as gone:
            messages.info(request, str(gone))
            return redirect(back)
        except Refused as refusal:
            problem = str(refusal)
        else:
            messages.success(request, _("It is deleted. The history of the site keeps that it was."))
            return redirect(back)
    using = studies_resting_on(row)
    own = studies_of_staff(user).filter(pk__in=[study.pk for study in using])
    context = {
        "row": row,
        "kind": kind,
        "back": back,
        "why": why,
        "problem": problem if problem != why else "",
        "own": own,
        "others": len(using) - len(own),
        "goes": [] if why else what_goes(row),
        "asks_name": has_people(row),
        "typed": request.POST.get("typed", ""),
    }
    status = (422 if problem else 200) if may_delete(user, row) else 403
    return render(request, "console/site/delete.html", context, status=status)


def _refused(request: HttpRequest, kind: str, number: int) -> HttpResponse | None:
    """A study is its leads'; only who may make studies learns of what they share."""
    user = signed_in(request)
    if kind == "study":
        study = get_object_or_404(Study, pk=number)
        rights = study_rights(user, study)
        if not rights:
            raise Http404("no part in this study")
        return None if Can.SET_UP in rights else page_refused(request, study)
    if SiteCan.MAKE_STUDIES not in site_rights(user):
        return render(request, "studies/site_page_refused.html", status=403)
    return None


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_study_archive(request: HttpRequest, study: Study) -> HttpResponse:
    """Archive a closed study, or bring it back."""
    if request.method != "POST":
        return redirect("staff_study", study.slug)
    archive = request.POST.get("archive") == "on"
    try:
        changed = study_archive(study=study, archive=archive, now=server_now(), actor=signed_in(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_study", study.slug)
    sentence = (
        _("The study is archived: it is only read, and stands under “Archived” among the studies.")
        if archive
        else _("The study is back among the others.")
    )
    messages.success(request, sentence if changed else _("Nothing was changed."))
    return redirect("staff_study", study.slug)
