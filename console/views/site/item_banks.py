"""Item banks of the site: uploaded, calibrated, or made of a table of tasks; and judge texts."""

import tempfile
from pathlib import Path

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.forms.uploads import CalibrationForm, ItemBankForm, JudgeTextsForm
from console.selectors.banks import item_banks, judge_texts, studies_using
from console.services.bank_files import item_bank_file_import, judge_texts_import
from console.services.staging import upload_stage
from jobs.services.starting import job_start
from studies.forms.uploads import takes_large_files
from studies.roles import SiteCan
from studies.services.refusals import Refused
from studies.services.slugs import require_slug
from studies.views.access import signed_in, site_page

PER_PAGE = 50


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_item_banks(request: HttpRequest) -> HttpResponse:
    """Every item bank with the studies on it; POST stores another one."""
    form = ItemBankForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            require_slug(values["slug"], of="an item bank")
            token = upload_stage(name=values["file"].name, content=values["file"].read())
            bank, created = item_bank_file_import(token=token, slug=values["slug"], now=timezone.now())
        except Refused as refusal:
            form.add_error("file", str(refusal))
        else:
            sentence = (
                _("The item bank %(bank)s is stored.")
                if created
                else _("It was there already and keeps its short name, %(bank)s.")
            )
            messages.success(request, sentence % {"bank": bank.slug})
            return redirect("staff_item_banks")
    page = Paginator(item_banks(), PER_PAGE).get_page(request.GET.get("page"))
    used = studies_using("item_bank", [one.pk for one in page])
    rows = [(one, used.get(one.pk, [])) for one in page]
    context = {"form": form, "page": page, "rows": rows}
    return render(request, "console/site/item_banks.html", context, status=422 if form.errors else 200)


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_calibrate(request: HttpRequest) -> HttpResponse:
    """An item bank from a matrix of models' scores, in the background."""
    form = CalibrationForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            require_slug(values["slug"], of="an item bank")
            token = upload_stage(name=values["file"].name, content=values["file"].read())
        except Refused as refusal:
            form.add_error("file", str(refusal))
        else:
            arguments = {
                "token": token, "slug": values["slug"], "difficulty_only": values["difficulty_only"]
            }  # fmt: skip
            job = job_start(
                kind="calibrate",
                study=None,
                actor=signed_in(request),
                now=timezone.now(),
                arguments=arguments,
            )
            return redirect("staff_job", job.pk)
    return render(request, "console/site/calibrate.html", {"form": form}, status=422 if form.errors else 200)


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judge_texts(request: HttpRequest) -> HttpResponse:
    """What language models are asked with; POST stores another pair of texts."""
    form = JudgeTextsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            require_slug(form.cleaned_data["slug"], of="judge texts")
            with tempfile.TemporaryDirectory() as folder:
                texts, _created = judge_texts_import(
                    slug=form.cleaned_data["slug"], **form.contents(), folder=Path(folder), now=timezone.now()
                )
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The judge texts %(name)s are stored.") % {"name": texts.slug})
            return redirect("staff_judge_texts")
    rows = list(judge_texts()[:PER_PAGE])
    used = studies_using("judge_protocol", [one.pk for one in rows])
    context = {"form": form, "rows": [(one, used.get(one.pk, [])) for one in rows]}
    return render(request, "console/site/judge_texts.html", context, status=422 if form.errors else 200)
