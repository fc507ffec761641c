"""Fields for texts that people write."""

from typing import Any

from django import forms
from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from presentation.numbers import Refusal

REASON_CHARACTERS = 2_000
# The errors of a choice that was not made, or that is none; one sentence says what to do about either.
CHOICE_ERRORS = ("required", "invalid_choice")
# What every field says (config.apps): Django's own sentences write thousands without a break.
BOUNDS = {
    "min_value": Refusal(gettext_noop("Write %(limit_value)s or more.")),
    "max_value": Refusal(gettext_noop("Write %(limit_value)s or less.")),
    "max_length": Refusal(
        gettext_noop(
            "The text is %(show_value)s characters long and at most %(limit_value)s are allowed; shorten it."
        )
    ),
}


class LinesField(forms.CharField):
    """A text with line ends as the scripts and the database have them: forms send CR LF, those hold LF."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")


class StorableTextField(LinesField):
    """A text the person wrote: there, storable and not too long, with one sentence for each."""

    def __init__(
        self, *, max_length: int, error_messages: dict[str, Any] | None = None, **options: Any
    ) -> None:
        messages: dict[str, Any] = {"required": _("Nothing is written yet; write a text first.")}
        messages |= error_messages or {}
        super().__init__(max_length=max_length, error_messages=messages, **options)
        no_nul = ProhibitNullCharactersValidator(_("The text has a NUL character; remove it and send again."))
        others = [
            check for check in self.validators if not isinstance(check, ProhibitNullCharactersValidator)
        ]
        self.validators = [*others, no_nul]

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """No `maxlength`: browsers cut a longer pasted text without a word."""
        return {name: value for name, value in super().widget_attrs(widget).items() if name != "maxlength"}
