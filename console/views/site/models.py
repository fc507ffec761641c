"""Results of models, which people are placed beside."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from console.forms.uploads import ModelsForm, TableForm
from console.selectors.banks import model_rows, scores_of
from console.services.bank_files import model_file_import, table_file_import
from console.services.staging import is_quick, upload_forget, upload_stage
from formats.asked_numbers import number_asked
from formats.cells import csv_cell
from formats.problems import FEW
from jobs.services.starting import job_start
from presentation.numbers import counted
from presentation.problems import problem_in_words
from scoring.models import ModelConfiguration
from scoring.selectors.leaderboards import studies_keeping, template_rows
from scoring.services.leaderboards import LeaderboardImport
from studies.forms.uploads import takes_large_files
from studies.models import ItemBank
from studies.roles import SiteCan
from studies.selectors.roles import studies_of_staff
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.services.slugs import require_slug
from studies.views.access import signed_in, site_page
from studies.views.csv_files import csv_file
from studies.views.listing import Column, Listing

PER_PAGE = 50
LIST_COLUMNS: tuple[Column[Any], ...] = (
    Column("name", gettext_lazy("Model"), ("name",), str),
    Column("family", gettext_lazy("Family"), ("known_family", "name"), str),
    Column("ability", gettext_lazy("Ability"), ("published_theta", "name"), str),
    Column("imported", gettext_lazy("Imported"), ("imported_at", "name"), str),
    Column("mean", gettext_lazy("Mean score"), (), str, numeric=True),
    Column("responses", gettext_lazy("Responses"), (), str, numeric=True),
    Column("missing", gettext_lazy("Without a score"), (), str, numeric=True),
    Column("item_bank", gettext_lazy("Item bank"), ("item_bank__slug", "name"), str),
    Column("source", gettext_lazy("Source"), ("source", "name"), str),
)
COLUMNS = ("model", "family", "item_bank", "source", "ability_published", "se_published", "imported_at")


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_models(request: HttpRequest) -> HttpResponseBase:
    """Every configuration with what is known of it; the same rows as CSV."""
    words, bank = request.GET.get("q", "")[:100], request.GET.get("bank", "")
    listing = Listing(request, LIST_COLUMNS)
    rows = listing.ordered(model_rows(item_bank=bank, words=words))
    if listing.wants_csv:
        return csv_file(request, "models", _lines(rows))
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    scores = scores_of(page.object_list)
    context = {
        "page": page,
        "rows": [(one, scores.get(one.pk)) for one in page],
        "kept": {"q": words, "bank": bank},
        "banks": ItemBank.objects.order_by("slug", "-imported_at"),
        "listing": listing,
    }
    return render(request, "console/site/models.html", context)


def _lines(rows: QuerySet[ModelConfiguration]) -> Iterator[list[str]]:
    yield list(COLUMNS)
    for one in rows:
        cells = (
            one.name, one.family, one.item_bank.slug, one.source, one.published_theta, one.published_se,
            one.imported_at.isoformat(),
        )  # fmt: skip
        yield [csv_cell(cell) for cell in cells]


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
    form = ModelsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _stored(request, form)
        except Refused as refusal:
            form.refuse(refusal)
    context = {"form": form, "banks": ItemBank.objects.order_by("slug", "-imported_at")}
    return render(request, "console/site/models_upload.html", context, status=422 if form.errors else 200)


def _stored(request: HttpRequest, form: ModelsForm) -> HttpResponse:
    values = form.cleaned_data
    upload = values["file"]
    token = upload_stage(name=upload.name, content=upload.read())
    chosen = {name: values[name] for name in ("source", "model", "scorer", "replace")} | {"token": token}
    if not is_quick(token):
        job = job_start(
            kind="import_models", study=None, actor=signed_in(request), now=server_now(),
            arguments=chosen | {"item_bank": values["item_bank"].pk},
        )  # fmt: skip
        return redirect("staff_job", job.pk)
    try:
        done, results = model_file_import(
            **chosen, item_bank=values["item_bank"], actor=signed_in(request), clock=timezone.now
        )
    finally:
        upload_forget(token)
    read = _("Scores read: %(read)s, stored: %(stored)s.") % {
        "read": counted(len(results.responses)), "stored": counted(done.scores)
    }  # fmt: skip
    messages.success(request, f"{_what_came(done)} {read}")
    for why, number in results.missing.items():
        messages.info(
            request, _("Missing, because %(why)s: %(number)s") % {"why": why, "number": counted(number)}
        )
    if results.notices:
        first = [problem_in_words(notice) for notice in results.notices[:FEW]]
        rest = len(results.notices) - FEW
        more = [_("… and %(number)s more") % {"number": counted(rest)}] if rest > 0 else []
        messages.warning(request, "\n".join([*first, *more]))
    if done.unknown_prompts:
        sentence = ngettext(
            "Not in the item bank, and left out: %(questions)s question; responses to it: %(responses)s.",
            "Not in the item bank, and left out: %(questions)s questions with %(responses)s responses.",
            len(done.unknown_prompts),
        )
        numbers = {
            "questions": counted(len(done.unknown_prompts)),
            "responses": counted(done.unknown_responses),
        }
        messages.warning(request, sentence % numbers)
    own = studies_of_staff(signed_in(request))
    if studies := studies_keeping(values["item_bank"], among=own):
        sentence = _(
            "These studies are locked and keep the results of models that they have: %(studies)s. A lead "
            "takes the new ones over on their page Item parameters."
        )
        messages.info(request, sentence % {"studies": ", ".join(studies)})
    return redirect("staff_models")


def _what_came(done: LeaderboardImport) -> str:
    sentence = ngettext(
        "%(new)s model imported, %(replaced)s replaced, %(same)s unchanged.",
        "%(new)s models imported, %(replaced)s replaced, %(same)s unchanged.",
        len(done.created),
    )
    return sentence % {
        "new": counted(len(done.created)), "replaced": counted(len(done.replaced)),
        "same": counted(len(done.unchanged)),
    }  # fmt: skip


@takes_large_files
@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_models_table(request: HttpRequest) -> HttpResponse:
    """An item bank of tasks, with the models of a table of accuracies."""
    form = TableForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            require_slug(values["slug"], of="an item bank")
            token = upload_stage(name=values["file"].name, content=values["file"].read())
            try:
                bank, _created = table_file_import(
                    token=token, slug=values["slug"], source=values["source"],
                    actor=signed_in(request), now=server_now(),
                )  # fmt: skip
            finally:
                upload_forget(token)
        except Refused as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, _("The table is stored as item bank %(bank)s.") % {"bank": bank.slug})
            return redirect("staff_models")
    return render(
        request, "console/site/models_table.html", {"form": form}, status=422 if form.errors else 200
    )
