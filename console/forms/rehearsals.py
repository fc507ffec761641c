"""Who takes part in a rehearsal."""

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

# Within half an hour, which is what one job takes at most.
MAX_REHEARSED = 250


class RehearsalForm(forms.Form):
    """Who takes part in a rehearsal."""

    people = forms.IntegerField(
        label=_("Simulated people"), min_value=1, max_value=MAX_REHEARSED,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"),
            format_lazy(_("Write a whole number from 1 to {most}."), most=MAX_REHEARSED),
        ),
        help_text=_("In all, up to the number of places. Each takes a few seconds."),
    )  # fmt: skip
    off_task = forms.BooleanField(
        label=_("Some of them do not answer the questions, so that there is something to screen"),
        required=False,
    )
