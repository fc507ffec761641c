"""Results of models, which people are placed beside."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.forms.uploads import ModelsForm, TableForm
from console.selectors.banks import model_rows, scores_of
from console.views.site.uploads import chosen_before, uploaded
from formats.codes import number_asked
from presentation.listing import Column, Listing
from scoring.selectors.leaderboards import template_rows
from studies.forms.uploads import takes_large_files
from studies.models import ItemBank
from studies.roles import SiteCan
from studies.views.access import site_page
from studies.views.csv_files import csv_file

LIST_COLUMNS: tuple[Column[Any], ...] = (
    Column("name", gettext_lazy("Model"), ("name",)),
    Column("family", gettext_lazy("Family"), ("known_family", "name")),
    Column("ability", gettext_lazy("Ability"), ("published_theta", "name")),
    Column("imported", gettext_lazy("Imported"), ("imported_at", "name")),
    Column("mean", gettext_lazy("Mean score"), numeric=True),
    Column("responses", gettext_lazy("Responses"), numeric=True),
    Column("missing", gettext_lazy("Without a score"), numeric=True),
    Column("item_bank", gettext_lazy("Item bank"), ("item_bank__slug", "name")),
    Column("source", gettext_lazy("Source"), ("source", "name")),
    Column("", gettext_lazy("What you can do"), hidden=True),
)
FILE = {
    "model": "name", "family": "family", "item_bank": "item_bank__slug", "source": "source",
    "ability_published": "published_theta", "se_published": "published_se", "imported_at": "imported_at",
}  # fmt: skip


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_models(request: HttpRequest) -> HttpResponseBase:
    """Every configuration with what is known of it; the same rows as CSV."""
    words, bank = request.GET.get("q", "")[:100], request.GET.get("bank", "")
    listing = Listing(request, LIST_COLUMNS, FILE)
    rows = listing.ordered(model_rows(item_bank=bank, words=words))
    if listing.wants_csv:
        return csv_file(request, "models", listing.lines(rows))
    page = listing.page(rows)
    scores = scores_of(page.object_list)
    context = {
        "page": page,
        "rows": [(row, scores.get(row.pk)) for row in page],
        "kept": {"q": words, "bank": bank},
        "banks": ItemBank.objects.order_by("slug", "-imported_at"),
        "listing": listing,
    }
    return render(request, "console/site/models.html", context)


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_models_template(request: HttpRequest) -> HttpResponseBase:
    """A table to fill in with scores on the public questions of an item bank; of the first where none is
    named.
    """
    banks = ItemBank.objects.order_by("slug", "-imported_at")
    if named := request.GET.get("bank"):
        banks = banks.filter(pk=number_asked(named) or 0)
    bank = banks.first()
    if bank is None:
        raise Http404("no such item bank")
    return csv_file(request, f"{bank.slug}-scores", template_rows(bank))


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_models_upload(request: HttpRequest) -> HttpResponse:
    """Store a file of models' results, all of it or nothing."""
    form = ModelsForm(request.POST or None, request.FILES or None, initial=chosen_before(request))
    if left := uploaded(request, "import_models", form):
        return left
    context = {"form": form, "banks": ItemBank.objects.order_by("slug", "-imported_at")}
    return render(request, "console/site/models_upload.html", context, status=422 if form.errors else 200)


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_models_table(request: HttpRequest) -> HttpResponse:
    """An item bank of tasks, with the models of a table of accuracies."""
    form = TableForm(request.POST or None, request.FILES or None, initial=chosen_before(request))
    if left := uploaded(request, "import_table", form, slug_of="an item bank"):
        return left
    return render(
        request, "console/site/models_table.html", {"form": form}, status=422 if form.errors else 200
    )
