"""The staff of the site: who they are, what they may do, and whether they can sign in."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from presentation.listing import Column, Listing
from studies.forms.team import FactorForm, StaffForm
from studies.models import SiteEvent, User
from studies.roles import SiteCan
from studies.selectors.roles import staff_members
from studies.services.clock import server_now
from studies.services.events import SiteEventKind
from studies.services.refusals import Refused
from studies.services.staff.colleagues import second_factor_reset, staff_invite
from studies.services.staff.staff import StaffChange, staff_change
from studies.views.access import signed_in, site_page, site_url_of
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required, proof_to_change

LIST_COLUMNS: tuple[Column[Any], ...] = (
    Column("person", gettext_lazy("Person"), ("email",)),
    Column("may", gettext_lazy("Allowed"), ("is_superuser", "may_create_studies")),
    Column("studies", gettext_lazy("Studies"), ("part_in",), numeric=True),
    Column("factor", gettext_lazy("Second factor"), ("has_factor",)),
    Column("seen", gettext_lazy("Last sign-in"), ("last_login",)),
    Column("", gettext_lazy("Actions"), hidden=True),
)
FILE = {
    "address": "email", "open": "is_active", "administrator": "is_superuser",
    "makes_studies": "may_create_studies", "studies": "part_in", "second_factor": "has_factor",
    "last_sign_in": "last_login",
}  # fmt: skip
SITE_WORDS: Mapping[str, Promise] = {
    SiteEventKind.SECOND_FACTOR_RESET: gettext_lazy("second factor reset"),
    SiteEventKind.STUDY_DELETED: gettext_lazy("study deleted"),
    SiteEventKind.BANK_DELETED: gettext_lazy("bank deleted"),
    SiteEventKind.ITEM_BANK_DELETED: gettext_lazy("item parameters deleted"),
    SiteEventKind.JUDGE_TEXTS_DELETED: gettext_lazy("judge texts deleted"),
    SiteEventKind.JUDGE_DELETED: gettext_lazy("judge deleted"),
}
HISTORY_COLUMNS: tuple[Column[Any], ...] = (
    Column("happened_at", gettext_lazy("When"), ("happened_at",)),
    Column("kind", gettext_lazy("What"), ("kind",)),
    Column("about", gettext_lazy("Of what"), ("about",)),
    Column("reason", gettext_lazy("Why"), ("reason",)),
    Column("actor", gettext_lazy("By"), ("actor__email",)),
)
DONE: Mapping[StaffChange, Promise] = {
    StaffChange.MAKE_ADMINISTRATOR: gettext_lazy("%(email)s now runs this site, too."),
    StaffChange.NO_ADMINISTRATOR: gettext_lazy(
        "%(email)s runs this site no more, and is signed out everywhere."
    ),
    StaffChange.LET_MAKE_STUDIES: gettext_lazy("%(email)s may now make studies, banks and judges."),
    StaffChange.NO_STUDIES: gettext_lazy("%(email)s makes no more studies, banks and judges."),
    StaffChange.CLOSE: gettext_lazy(
        "The account of %(email)s is closed, and they are signed out everywhere."
    ),
    StaffChange.OPEN: gettext_lazy("The account of %(email)s is open again."),
}


@site_page(SiteCan.RUN_SITE)
@require_http_methods(["GET", "HEAD", "POST"])
@proof_to_change
def staff_team(request: HttpRequest) -> HttpResponse:
    """Everybody who is staff; POST adds somebody, or rights to somebody."""
    form = StaffForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            user, is_new = staff_invite(
                **form.cleaned_data,
                site_url=site_url_of(request),
                now=server_now(),
                actor=signed_in(request),
            )
        except Refused as refusal:
            form.add_error("email", str(refusal))
        else:
            sentence = _("%(email)s is staff of this site.")
            if not is_new:
                sentence = _("%(email)s was all of this already.")
            messages.success(request, sentence % {"email": user.email})
            return redirect("staff_team")
    words, listing, rows = _listed(request)
    context = {"form": form, "words": words, "listing": listing, "page": listing.page(rows)}
    return render(request, "console/staff.html", context, status=422 if form.errors else 200)


def _listed(request: HttpRequest) -> tuple[str, Listing[Any], QuerySet[User]]:
    """The words of an address that are asked for, and the rows with them in the order asked for."""
    words, listing = request.GET.get("q", "").strip()[:100], Listing(request, LIST_COLUMNS, FILE)
    return words, listing, listing.ordered(staff_members(words))


@site_page(SiteCan.RUN_SITE)
@require_safe
@proof_required
def staff_team_file(request: HttpRequest) -> HttpResponseBase:
    """The same rows as a CSV file."""
    _words, listing, rows = _listed(request)
    return csv_file(request, "staff", listing.lines(rows))


@site_page(SiteCan.RUN_SITE)
@require_POST
@proof_to_change
def staff_team_change(request: HttpRequest, number: int) -> HttpResponse:
    """Give or take a right, close or open an account."""
    user = get_object_or_404(User, pk=number, is_staff=True)
    try:
        change = StaffChange(request.POST.get("change", ""))
    except ValueError:
        raise Http404("no such change") from None
    try:
        changed = staff_change(user=user, change=change, actor=signed_in(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_team")
    if changed:
        messages.success(request, DONE[change] % {"email": user.email})
    else:
        messages.info(request, _("Nothing was changed."))
    return redirect("home" if user == request.user else "staff_team")


@site_page(SiteCan.RUN_SITE)
@require_http_methods(["GET", "HEAD", "POST"])
@proof_to_change
def staff_team_factor(request: HttpRequest, number: int) -> HttpResponse:
    """Ask why, then take away the second factor of somebody who lost it."""
    user = get_object_or_404(User, pk=number, is_staff=True)
    form = FactorForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            second_factor_reset(
                user=user, reason=form.cleaned_data["reason"], site_url=site_url_of(request),
                now=server_now(), actor=signed_in(request),
            )  # fmt: skip
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            sentence = _(
                "The second factor of %(email)s is reset; they are signed out everywhere and told by mail."
            )
            messages.success(request, sentence % {"email": user.email})
            return redirect("staff_team")
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "console/staff_factor.html", {"person": user, "form": form}, status=status)


@site_page(SiteCan.RUN_SITE)
@require_safe
def staff_site_history(request: HttpRequest) -> HttpResponseBase:
    """What happened to the site that is of no study, or outlives one, newest first; the same as CSV."""
    listing = Listing(request, HISTORY_COLUMNS)
    rows = listing.ordered(SiteEvent.objects.select_related("actor"))
    if listing.wants_csv:
        return csv_file(request, "site-history", listing.lines(rows))
    page = listing.page(rows)
    context = {"page": page, "rows": [(event, SITE_WORDS[event.kind]) for event in page], "listing": listing}
    return render(request, "console/site/history.html", context)
