"""Inviting people, for staff; accepting an invitation, for whoever has its link."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from presentation.listing import Column, Listing
from studies.forms.people import InvitationForm
from studies.models import Invitation, Study, User
from studies.roles import Can
from studies.selectors.invitations import (
    InvitationState,
    invitation_counts,
    invitations_of,
    participant_let_in,
    token_sha256,
)
from studies.selectors.names import profile_names
from studies.selectors.told import told_lines
from studies.services.clock import server_now
from studies.services.events import StudyEventKind
from studies.services.people.invitation_mails import invitations_queue
from studies.services.people.invitations import (
    InvitationExpired,
    InvitationRevoked,
    InvitationUnknown,
    InvitationUsed,
    invitation_accept,
    invitation_create,
    invitation_erase,
    invitation_of,
    invitation_revoke,
)
from studies.services.refusals import Refused
from studies.views.access import signed_in, site_url_of, study_page
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required
from studies.views.sign_in import SIGN_IN_ADDRESS, SIGN_IN_LINK

LIST_COLUMNS: tuple[Column[Any], ...] = (
    Column("address", gettext_lazy("Address"), ("email",)),
    Column("profile", gettext_lazy("Profile"), ("profile",)),
    Column("state", gettext_lazy("State"), ("state",)),
    Column("sent_at", gettext_lazy("Sent"), ("sent_at",)),
    Column("valid_until", gettext_lazy("Valid until"), ("expires_at",)),
    Column("", gettext_lazy("Actions")),
)
# What the page says beside the refusal's own sentence; everything else is for the study team to mend.
WAYS_ON: dict[type[Refused], str] = {
    InvitationUsed: "sign_in",
    InvitationUnknown: "newer_mail",
    InvitationExpired: "ask",
    InvitationRevoked: "ask",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows the invitation and changes nothing: mail scanners open links, too. POST accepts it."""
    now = server_now()
    try:
        opened = invitation_of(token=token, now=now)
        if isinstance(request.user, User) and request.user.email != opened.email:
            return render(request, "studies/invitation_other_person.html", {"invitation": opened}, status=409)
        if request.method != "POST":
            context = {"invitation": opened, "study": opened.study, "told": told_lines(opened.study)}
            return render(request, "studies/invitation.html", context)
        participant = invitation_accept(token=token, now=now)
    except InvitationUsed as refusal:
        # Whoever follows their own link once more comes to the study, or may sign in with its limits.
        if not isinstance(request.user, User):
            request.session[SIGN_IN_LINK] = token_sha256(token)
            return refused(request, refusal)
        let_in = participant_let_in(token, request.user)
        if let_in is None:
            return refused(request, refusal)
        return redirect("study_home", slug=let_in.study.slug)
    except Refused as refusal:
        return refused(request, refusal)
    page = reverse("study_home", args=[participant.study.slug])
    if isinstance(request.user, User):
        return redirect(page)
    # Kept on the server: an address does not belong into a URL.
    request.session[SIGN_IN_ADDRESS] = opened.email
    request.session[SIGN_IN_LINK] = token_sha256(token)
    return redirect(f"{reverse('account_login')}?next={page}")


def refused(request: HttpRequest, refusal: Refused) -> HttpResponse:
    """One sentence why, and the way on. No address: whoever has an old link may be anybody."""
    way = WAYS_ON.get(type(refusal), "ask")
    status = 404 if isinstance(refusal, InvitationUnknown) else 410
    context = {"sentence": str(refusal), "way": way}
    return render(request, "studies/invitation_refused.html", context, status=status)


@study_page(Can.INVITE)
@require_http_methods(["GET", "HEAD", "POST"])
def staff_invitations(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Everyone invited to the study, the same rows as CSV; POST invites one more person."""
    form = InvitationForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST" and form.is_valid():
        try:
            made = invitation_create(
                study=study, **form.cleaned_data, now=server_now(), actor=signed_in(request)
            )
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            _sent(request, made)
            return redirect("staff_invitations", slug=study.slug)
    now, chosen, listing = server_now(), request.GET.get("state", ""), Listing(request, LIST_COLUMNS)
    rows = listing.ordered(invitations_of(study, now))
    if chosen in InvitationState.values:
        rows = rows.filter(state=chosen)
    if listing.wants_csv and request.method == "GET":
        return _file(request, study, listing, rows)
    context = {
        "study": study,
        "form": form,
        "page": listing.page(rows),
        "listing": listing,
        "chosen": chosen,
        "names": profile_names(study),
        "counts": invitation_counts(study, now).items(),
    }
    return render(request, "studies/invitations.html", context, status=422 if form.errors else 200)


@proof_required
def _file(
    request: HttpRequest, study: Study, listing: Listing[Any], rows: QuerySet[Invitation]
) -> HttpResponseBase:
    lines = listing.lines(rows)
    return csv_file(request, "invitations", lines, study=study, kind=StudyEventKind.PEOPLE_LISTED)


@study_page(Can.INVITE)
@require_POST
def staff_invitation_resend(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Mail a new link and return to the list."""
    _sent(request, _invitation(study, number))
    return _back(request, study)


@study_page(Can.INVITE)
@require_POST
def staff_invitation_revoke(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Make the link useless, and erase the address too where that is wished, and return to the list."""
    found, erases = _invitation(study, number), request.POST.get("erase") == "yes"
    end = invitation_erase if erases else invitation_revoke
    try:
        end(invitation=found, now=server_now(), actor=signed_in(request))
        said = _("The invitation is withdrawn; address and name are erased.")
        if not erases:
            said = _("The invitation of %(email)s is revoked.") % {"email": found.email}
        messages.success(request, said)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return _back(request, study)


def _back(request: HttpRequest, study: Study) -> HttpResponse:
    """To the list of people where the action was taken there, to that of invitations otherwise."""
    if back := request.POST.get("back", ""):
        known = QueryDict(back).dict()
        return redirect(f"{reverse('staff_participants', args=[study.slug])}?{urlencode(known)}")
    return redirect("staff_invitations", slug=study.slug)


def _invitation(study: Study, number: int) -> Invitation:
    of_study = Invitation.objects.select_related("study").filter(study=study)
    return get_object_or_404(of_study, pk=number)


def _sent(request: HttpRequest, invitation: Invitation) -> None:
    """Leave the mail to a worker and say so."""
    now, actor = server_now(), signed_in(request)
    try:
        invitations_queue(
            study=invitation.study,
            invitations=[invitation],
            site_url=site_url_of(request),
            now=now,
            actor=actor,
        )
    except Refused as refusal:
        messages.error(request, str(refusal))
        return
    messages.success(request, _("The invitation is on its way to %(email)s.") % {"email": invitation.email})
