"""What pages may not ask of a device. They copy to the clipboard and use passkeys, which stays allowed."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

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
