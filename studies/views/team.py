"""The team of a study: who has which part in it, since when and by whom."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from presentation.listing import Column, Listing
from studies.forms.team import ColleagueForm, RightsForm, RoleForm
from studies.models import Study, StudyRole, User
from studies.models.roles import ROLES
from studies.roles import GRANTABLE, Can, Role
from studies.selectors.roles import reviewers_see_private, roles_in
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.services.staff.colleagues import colleague_add
from studies.services.staff.roles import rights_give, role_take
from studies.views.access import signed_in, site_url_of, study_page
from studies.views.csv_files import csv_file
from studies.views.role_words import RIGHT_WORDS, ROLE_WORDS, role_table
from studies.views.second_factor import proof_required, proof_to_change

TEAM_COLUMNS: tuple[Column[StudyRole], ...] = (
    Column("person", gettext_lazy("Person"), ("user__email",)),
    Column("role", gettext_lazy("Role"), ("role",)),
    Column("since", gettext_lazy("Since"), ("given_at",)),
    Column("given_by", gettext_lazy("Given by"), ("given_by__email",)),
    Column("", gettext_lazy("Actions"), hidden=True),
)


@study_page(Can.GIVE_ROLES)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_study_team(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Everybody with a part in the study, the same rows as CSV; POST gives one to whoever has an address."""
    listing = Listing(request, TEAM_COLUMNS)
    if request.method != "POST" and listing.wants_csv:
        return _team_file(request, study, listing)
    form = ColleagueForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _added(request, study, form):
        return redirect("staff_study_team", slug=study.slug)
    context = {
        "study": study,
        "form": form,
        "page": listing.page(listing.ordered(roles_in(study))),
        "listing": listing,
        "roles": [(label, ROLE_WORDS[Role(role)]) for role, label in ROLES],
        "grantable": [(right.value, RIGHT_WORDS[right]) for right in GRANTABLE],
        "rights": role_table(reviewers_see_private=reviewers_see_private(study)),
    }
    return render(request, "studies/team.html", context, status=422 if form.errors else 200)


@proof_required
def _team_file(request: HttpRequest, study: Study, listing: Listing[StudyRole]) -> HttpResponseBase:
    return csv_file(request, "team", listing.lines(listing.ordered(roles_in(study))), study=study)


@study_page(Can.GIVE_ROLES)
@require_POST
@proof_to_change
def staff_study_team_take(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Take one part back; afterwards the person may have others, or none and see nothing of the study."""
    user = User.objects.filter(pk=number, study_roles__study=study).first()
    form = RoleForm(request.POST)
    if user is None or not form.is_valid():
        messages.info(request, _("This role had been taken back before."))
        return redirect("staff_study_team", slug=study.slug)
    role: Role = form.cleaned_data["role"]
    try:
        taken = role_take(study=study, user=user, role=role, now=server_now(), actor=signed_in(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("staff_study_team", slug=study.slug)
    sentence = _("%(email)s is no longer %(role)s.") if taken else _("%(email)s was not %(role)s any more.")
    messages.success(request, sentence % {"email": user.email, "role": _role_words(role)})
    if user == request.user:  # who may have taken away their own right to see this page
        return redirect("staff_home")
    return redirect("staff_study_team", slug=study.slug)


@study_page(Can.GIVE_ROLES)
@require_POST
@proof_to_change
def staff_study_team_rights(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Give a coordinator exactly the rights that are ticked."""
    user = User.objects.filter(pk=number, study_roles__study=study).first()
    form = RightsForm(request.POST)
    if user is None or not form.is_valid():
        messages.info(request, _("Nothing was changed. Look at the team as it is now."))
        return redirect("staff_study_team", slug=study.slug)
    try:
        changed = rights_give(
            study=study, user=user, rights=form.cleaned_data["rights"], now=server_now(),
            actor=signed_in(request),
        )  # fmt: skip
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        sentence = (
            _("The rights of %(email)s are saved; they hold from now on.")
            if changed
            else _("%(email)s has these rights already.")
        )
        messages.success(request, sentence % {"email": user.email})
    return redirect("staff_study_team", slug=study.slug)


@proof_to_change
def _added(request: HttpRequest, study: Study, form: ColleagueForm) -> bool:
    """Whether the person is in the team; otherwise the form says why not."""
    data = form.cleaned_data
    try:
        row, is_new = colleague_add(
            study=study,
            email=data["email"],
            role=data["role"],
            site_url=site_url_of(request),
            now=server_now(),
            actor=signed_in(request),
        )
    except Refused as refusal:
        form.add_error("email", str(refusal))
        return False
    words = {"email": row.user.email, "role": _role_words(row.role)}
    if is_new:
        messages.success(request, _("%(email)s is now %(role)s.") % words)
    else:
        messages.info(request, _("%(email)s was %(role)s already.") % words)
    return True


def _role_words(role: str) -> str:
    return str(dict(ROLES)[role]).lower()
