"""What holds for every page: addresses that none has are refused, and none asks anything of a device."""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase

# They copy to the clipboard and use passkeys, which stays allowed.
UNUSED = (
    "accelerometer autoplay browsing-topics camera display-capture encrypted-media fullscreen "
    "geolocation gyroscope hid magnetometer microphone midi payment picture-in-picture "
    "screen-wake-lock serial usb xr-spatial-tracking"
).split()
POLICY = ", ".join(f"{feature}=()" for feature in UNUSED)


def deny_device_features(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Forbid, for every page and whatever it embeds, what none of ours uses."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response["Permissions-Policy"] = POLICY
        return response

    return middleware


def refuse_nul(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """400 for an address with a NUL character in its path or its query: the database takes none, so that
    whoever looks for one would end in an error of the program.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or b"\0" in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            raise BadRequest("the address has a NUL character")
        return get_response(request)

    return middleware
