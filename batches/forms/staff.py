"""What the study team can do about one person's time; every form asks for a reason."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from batches.services.extending import MAX_MINUTES
from studies.forms.texts import REASON_CHARACTERS, StorableTextField


class ReasonForm(forms.Form):
    """Why; it stays in the trail."""

    reason = StorableTextField(
        label=_("Reason"),
        max_length=REASON_CHARACTERS,
        help_text=_("Kept in the trail. The person can read it in their own data."),
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Write a reason; it is kept in the trail.")},
    )


def _minutes_field(**options: Any) -> forms.IntegerField:
    missing = _("Write how many minutes.")
    return forms.IntegerField(max_value=MAX_MINUTES, error_messages={"required": missing}, **options)


class ExtraTimeForm(ReasonForm):
    """Minutes on top at the start; 0 takes them back."""

    minutes = _minutes_field(label=_("Minutes on top (0 takes them back)"), min_value=0)
    field_order = ("minutes", "reason")


class ExtendForm(ReasonForm):
    """Minutes later than the deadline the page showed: sending it twice extends once."""

    minutes = _minutes_field(label=_("Minutes"), min_value=1)
    field_order = ("minutes", "reason")
    deadline_seen = forms.DateTimeField(widget=forms.HiddenInput)
