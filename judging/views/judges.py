"""The judges of the site: a list, adding, changing, trying one out."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from judging.forms.judges import JudgeForm, NewJudgeForm, initial_of
from judging.models import JudgeConfig
from judging.selectors.judges import KnownJudge, judge_is_used, known_judges, newest_changes
from judging.services.judge_rules import JudgeInvalid, JudgeSettings
from judging.services.judge_trial import Trial, judge_probe
from judging.services.judges import judge_add, judge_change
from presentation.listing import Column, Listing
from studies.roles import SiteCan
from studies.selectors.roles import studies_of_staff
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_page
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_to_change

JUDGE_COLUMNS: tuple[Column[KnownJudge], ...] = (
    Column("name", gettext_lazy("Name"), ("config__slug",)),
    Column("model", gettext_lazy("Model"), ("config__model",)),
    Column("endpoint", gettext_lazy("Endpoint"), ("config__base_url",)),
    Column("limits", gettext_lazy("Limits"), ("config__concurrency",), "limits"),
    Column("prices", gettext_lazy("Prices per million tokens"), ("input_price", "output_price"), "prices"),
    Column("used_by", gettext_lazy("Used by"), ("users",), lambda judge: " ".join(judge.studies)),
)


@site_page(SiteCan.MAKE_STUDIES)
@require_safe
def staff_judges(request: HttpRequest) -> HttpResponseBase:
    """Every judge, and which of one's own studies have used it; the same rows as CSV."""
    listing = Listing(request, JUDGE_COLUMNS)
    judges = listing.sorted(known_judges(among=studies_of_staff(signed_in(request))))
    if listing.wants_csv:
        return csv_file(request, "judges", listing.lines(judges))
    return render(request, "judging/judges.html", {"page": listing.page(judges), "listing": listing})


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judge_add(request: HttpRequest) -> HttpResponse:
    """A new judge; what was refused comes back with what was written."""
    defaults = JudgeSettings(base_url="", model="")
    initial = {"concurrency": defaults.concurrency, "timeout_seconds": defaults.timeout_seconds}
    form = NewJudgeForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid() and (judge := _added(request, form)):
        messages.success(request, _("The judge %(slug)s is added. Try it.") % {"slug": judge.slug})
        return redirect("staff_judge", slug=judge.slug)
    return render(request, "judging/judge_add.html", {"form": form}, status=422 if form.errors else 200)


@proof_to_change
def _added(request: HttpRequest, form: NewJudgeForm) -> JudgeConfig | None:
    """The proof is asked for only here: what the form refuses may hold a key, and is not kept until then."""
    try:
        return judge_add(
            slug=form.cleaned_data["slug"],
            settings=form.settings(),
            actor=signed_in(request),
            now=server_now(),
        )
    except JudgeInvalid as error:
        form.refuse(error)
        return None


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_judge(request: HttpRequest, slug: str) -> HttpResponse:
    """One judge: its settings, which POST changes, and who changed what."""
    judge = get_object_or_404(JudgeConfig, slug=slug)
    data = request.POST if request.method == "POST" else None
    form = JudgeForm(data, initial=initial_of(judge), fixed=judge_is_used(judge))
    if request.method == "POST" and form.is_valid() and _changed(request, judge, form):
        return redirect("staff_judge", slug=slug)
    return _judge_page(request, judge, form)


@proof_to_change
def _changed(request: HttpRequest, judge: JudgeConfig, form: JudgeForm) -> bool:
    try:
        changes = judge_change(
            judge=judge,
            settings=form.settings(),
            actor=signed_in(request),
            now=server_now(),
            seen_change_id=form.cleaned_data["seen"],
        )
    except JudgeInvalid as error:
        form.refuse(error)
        return False
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return False
    if changes:
        messages.success(request, _("The judge %(slug)s is changed.") % {"slug": judge.slug})
    else:
        messages.info(request, _("Nothing was changed."))
    return True


@site_page(SiteCan.MAKE_STUDIES)
@require_http_methods(["GET", "HEAD", "POST"])
@proof_to_change
def staff_judge_try(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the judge one small question and show what came of it."""
    judge = get_object_or_404(JudgeConfig, slug=slug)
    if request.method != "POST":  # somebody reloads, or changes the language, where a trial came back
        return redirect("staff_judge", slug=slug)
    form = JudgeForm(initial=initial_of(judge), fixed=judge_is_used(judge))
    return _judge_page(request, judge, form, trial=judge_probe(judge))


def _judge_page(
    request: HttpRequest, judge: JudgeConfig, form: JudgeForm, *, trial: Trial | None = None
) -> HttpResponse:
    context = {
        "judge": judge,
        "form": form,
        "used": judge_is_used(judge),
        "changes": newest_changes(judge),
        "trial": trial,
    }
    return render(request, "judging/judge.html", context, status=422 if form.errors else 200)
