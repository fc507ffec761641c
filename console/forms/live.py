"""Forms of the live board."""

from django import forms
from django.utils.translation import gettext_lazy as _

from batches.services.extending import MAX_MINUTES
from console.services.live import SessionAction
from studies.forms.people import MESSAGE_CHARACTERS
from studies.forms.texts import REASON_CHARACTERS, StorableTextField


def _reason(help_text: object) -> StorableTextField:
    return StorableTextField(
        label=_("Reason"),
        max_length=REASON_CHARACTERS,
        help_text=help_text,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Write a reason; it is kept in the history.")},
    )


class PauseForm(forms.Form):
    """Why nobody may start for a while, or may again."""

    text = _reason(_("Kept in the history of the study."))


class OrderForm(forms.Form):
    """What is to be done to sessions, as decided on a page that was made at `seen_at`."""

    text = _reason(_("Kept in the history. The person can read it in their own data."))
    seen_at = forms.DateTimeField(widget=forms.HiddenInput)


class ExtendForm(OrderForm):
    """More time."""

    minutes = forms.IntegerField(
        label=_("Minutes"),
        min_value=1,
        max_value=MAX_MINUTES,
        initial=15,
        error_messages={"required": _("Write how many minutes.")},
    )
    field_order = ("minutes", "text")


class MessageForm(OrderForm):
    """A message; it is its own reason."""

    text = StorableTextField(
        label=_("Message"),
        max_length=MESSAGE_CHARACTERS,
        help_text=_("Each person sees it on their pages within half a minute, and can answer."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )


FORMS: dict[SessionAction, type[OrderForm]] = {
    SessionAction.EXTEND: ExtendForm,
    SessionAction.MESSAGE: MessageForm,
    SessionAction.REOPEN: OrderForm,
    SessionAction.VOID: OrderForm,
}
