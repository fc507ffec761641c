"""A gate that every request passes before it is sent: where a shared rate limit holds callers back."""

from typing import Protocol


class GateClosed(Exception):
    """Nothing may be sent now. Nothing was: no attempt is recorded, and no fault of the endpoint is meant."""


class Gate(Protocol):
    """Asked before each HTTP request, the repeated ones included; safe to share between threads."""

    def enter(self, *, tokens: int) -> None:
        """Return when a request of about `tokens` tokens, prompt and reply together, may be sent; may block.

        Raises:
            GateClosed: it may not be sent; the caller passes this on untouched.
        """


class OpenGate:
    """Lets everything through at once."""

    def enter(self, *, tokens: int) -> None:
        pass


OPEN_GATE = OpenGate()
