"""What somebody sent while a new proof was asked for, kept until they give it."""

from collections.abc import Callable
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import STATE_SESSION_KEY
from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import resolve, reverse


class SentBeforeProof:
    """Keeps where a POST went and its fields, in place of allauth's middleware, which stands before this one
    and would store every header, too: the cookie, the network address.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ReauthenticationRequired) or request.method != "POST":
            return None
        proofs = get_adapter(request).get_reauthentication_methods(request.user)
        asking = proofs[0]["url"] if proofs else reverse("account_login")
        fields = request.POST.copy()
        fields.pop("csrfmiddlewaretoken", None)
        kept = {
            "address": request.get_full_path(),
            "path": request.path,
            "path_info": request.path_info,
            "query": request.GET.urlencode(),
            "fields": fields.urlencode(),
        }
        request.session[STATE_SESSION_KEY] = {"callback": f"{__name__}.resumed", "state": kept}
        return redirect(f"{asking}?{urlencode({'next': kept['address']})}")


def resumed(request: HttpRequest, kept: dict[str, str]) -> HttpResponseBase | None:
    """Do what was sent, as this request, if it goes on to where that was sent; else nothing of it is done."""
    wanted = get_next_redirect_url(request, "next")
    if wanted != kept["address"]:
        return redirect(wanted) if wanted else None
    request.path, request.path_info = kept["path"], kept["path_info"]
    request.META["QUERY_STRING"] = kept["query"]
    request.GET = QueryDict(kept["query"])
    request.POST = QueryDict(kept["fields"])
    match = resolve(kept["path_info"])
    response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    return response
