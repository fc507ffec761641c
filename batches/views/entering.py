"""The page behind an entry link, for people whom a recruiting platform sends.

The ids leave the address at once: addresses are kept in histories and told to other pages.
"""

from allauth.core.internal.ratelimit import get_ip
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from batches.forms import AddressForm
from batches.services.entering import (
    entry_account,
    entry_take,
    is_settled,
    person_enter,
    require_entry_open,
)
from studies.models import RecruitingLink, User
from studies.protocol.consents import recorded_items
from studies.selectors.participants import participant_of
from studies.selectors.told import recorded_sentences, told_lines
from studies.services.clock import server_now
from studies.services.people.platforms import alias_of, platform_of
from studies.services.people.recruiting_links import PlatformIds, ids_read
from studies.services.refusals import Refused
from studies.views.sign_in import SIGN_IN_ADDRESS

# Where the session keeps the ids, by the token of the link they came with.
IDS = "platform_ids"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, token: str) -> HttpResponse:
    """GET says what the study is and what is kept; POST takes an address, or the person's alias where the
    platform forbids asking for one, or lets in who is signed in.
    """
    now = server_now()
    link = RecruitingLink.objects.filter(token=token).select_related("study").first()
    if link is None:
        raise Http404("no such link")
    if (request.GET or request.method == "POST") and not entry_take(client=get_ip(request), now=now):
        return render(request, "429.html", status=429)
    user = request.user if isinstance(request.user, User) else None
    participant = participant_of(user, link.study.slug) if user else None
    # What this browser has brought before tells nothing to whoever is in the study already.
    if participant and is_settled(participant, link):
        request.session.pop(IDS, None)
        return redirect("study_home", link.study.slug)
    try:
        if participant is None:
            require_entry_open(link, now)
        if request.GET:
            # The ids are kept on the server; on to the address without them.
            ids = ids_read(link, dict(request.GET.lists()))
            request.session[IDS] = {link.token: [ids.participant, ids.study, ids.session]}
            return redirect("entry", link.token)
        kept = request.session.get(IDS, {}).get(link.token)
        ids = PlatformIds(*kept) if kept else ids_read(link, {})
        if request.method == "POST":
            return _entered(request, link, ids, user)
    except Refused as refusal:
        # With the way back for whoever is in the study already.
        context = {"sentence": str(refusal), "page": reverse("study_home", args=[link.study.slug])}
        return render(request, "batches/entry_refused.html", context, status=409)
    return _page(request, link, ids, AddressForm())


def _entered(request: HttpRequest, link: RecruitingLink, ids: PlatformIds, user: User | None) -> HttpResponse:
    if user is not None:
        person_enter(link=link, ids=ids, user=user, now=server_now())
        request.session.pop(IDS, None)
        return redirect("study_home", link.study.slug)
    alias = alias_of(link, ids.participant)
    form = AddressForm({"email": alias} if alias else request.POST)
    if form.is_valid():
        try:
            account = entry_account(email=form.cleaned_data["email"])
        except Refused as refusal:
            form.add_error("email", str(refusal))
        else:
            # Kept on the server: an address does not belong into a URL.
            request.session[SIGN_IN_ADDRESS] = account.email
            page = reverse("entry", args=[link.token])
            return redirect(f"{reverse('account_login')}?next={page}")
    return _page(request, link, ids, form, status=422)


def _page(
    request: HttpRequest, link: RecruitingLink, ids: PlatformIds, form: AddressForm, status: int = 200
) -> HttpResponse:
    protocol = link.study.protocol
    context = {
        "study": link.study,
        "protocol": protocol,
        "told": told_lines(link.study),
        "recorded": recorded_sentences(recorded_items(protocol)),
        "platform": platform_of(link),
        "alias": alias_of(link, ids.participant),
        "ids": [text for text in (ids.participant, ids.study, ids.session) if text],
        "form": form,
    }
    return render(request, "batches/entry.html", context, status=status)
