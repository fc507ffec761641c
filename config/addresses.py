"""Addresses that no page of the site has."""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase


def refuse_nul(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """400 for an address with a NUL character in its path or its query: the database takes none, so that
    whoever looks for one would end in an error of the program.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or b"\0" in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            raise BadRequest("the address has a NUL character")
        return get_response(request)

    return middleware
