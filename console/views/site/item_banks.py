"""Item banks of the site: uploaded, calibrated, or made of a table of tasks; and judge texts."""

import tempfile
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods

from console.forms.uploads import CalibrationForm, ItemBankForm, JudgeTextsForm
from console.selectors.banks import item_banks, judge_texts, studies_using
from console.services.judge_texts import judge_texts_import
from console.views.site.uploads import chosen_before, uploaded
from presentation.listing import Column, Listing
from presentation.problems import problem_in_words
from studies.forms.uploads import takes_large_files
from studies.roles import SiteCan
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.services.slugs import require_slug
from studies.views.access import signed_in, site_page
from studies.views.csv_files import csv_file

ITEM_BANK_COLUMNS: tuple[Column[Any], ...] = (
    Column("item_bank", gettext_lazy("Item bank"), ("slug",)),
    Column("items", gettext_lazy("Items"), ("size",), numeric=True),
    Column("calibrated_on", gettext_lazy("Calibrated on"), ("n_models",), numeric=True),
    Column("residual_sd", gettext_lazy("Residual SD"), ("sigma_hat",), numeric=True),
    Column("models", gettext_lazy("Results of models"), ("models",), numeric=True),
    Column("imported", gettext_lazy("Imported"), ("imported_at",)),
    Column("used_by", gettext_lazy("Used by"), ("users",)),
)
TEXT_COLUMNS: tuple[Column[Any], ...] = (
    Column("judge_texts", gettext_lazy("Judge texts"), ("slug",)),
    Column("source", gettext_lazy("Source"), ("source",)),
    Column("imported", gettext_lazy("Imported"), ("imported_at",)),
    Column("used_by", gettext_lazy("Used by"), ("users",)),
)


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_item_banks(request: HttpRequest) -> HttpResponseBase:
    """Every item bank with the studies on it, the same rows as CSV; POST stores another one."""
    form = ItemBankForm(request.POST or None, request.FILES or None, initial=chosen_before(request))
    if left := uploaded(request, "import_items", form, slug_of="an item bank"):
        return left
    listing = Listing(request, ITEM_BANK_COLUMNS)
    banks = listing.ordered(item_banks())
    if listing.wants_csv:
        return csv_file(request, "item-banks", listing.lines(banks))
    page = listing.page(banks)
    used = studies_using("item_bank", [bank.pk for bank in page], signed_in(request))
    rows = [(bank, used[bank.pk]) for bank in page]
    context = {"form": form, "page": page, "rows": rows, "listing": listing}
    return render(request, "console/site/item_banks.html", context, status=422 if form.errors else 200)


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_calibrate(request: HttpRequest) -> HttpResponse:
    """An item bank from a matrix of models' scores, in the background."""
    form = CalibrationForm(request.POST or None, request.FILES or None, initial=chosen_before(request))
    if left := uploaded(request, "calibrate", form, slug_of="an item bank"):
        return left
    return render(request, "console/site/calibrate.html", {"form": form}, status=422 if form.errors else 200)


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judge_texts(request: HttpRequest) -> HttpResponseBase:
    """What language models are asked with, a list of it as CSV; POST stores another pair of texts."""
    form = JudgeTextsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            require_slug(form.cleaned_data["slug"], of="judge texts")
            with tempfile.TemporaryDirectory() as folder:
                texts, _created = judge_texts_import(
                    slug=form.cleaned_data["slug"], **form.contents(), folder=Path(folder),
                    actor=signed_in(request), now=server_now(),
                )  # fmt: skip
        except Refused as refusal:
            form.add_error(None, problem_in_words(str(refusal)))
        else:
            messages.success(request, _("The judge texts %(name)s are stored.") % {"name": texts.slug})
            return redirect("staff_judge_texts")
    listing = Listing(request, TEXT_COLUMNS)
    ordered = listing.ordered(judge_texts())
    if listing.wants_csv:
        return csv_file(request, "judge-texts", listing.lines(ordered))
    page = listing.page(ordered)
    used = studies_using("judge_protocol", [row.pk for row in page], signed_in(request))
    context = {"form": form, "page": page, "rows": [(row, used[row.pk]) for row in page], "listing": listing}
    return render(request, "console/site/judge_texts.html", context, status=422 if form.errors else 200)
