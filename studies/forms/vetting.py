"""A decision on whether a person may take part."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from studies.forms.texts import REASON_CHARACTERS, StorableTextField
from studies.protocol.visible import is_blank

APPROVE, REJECT = "approve", "reject"


class VettingForm(forms.Form):
    """Approve, or reject with a reason."""

    decision = forms.ChoiceField(
        choices=[(APPROVE, _("Approve")), (REJECT, _("Reject"))],
        error_messages={
            "required": _("Choose approve or reject."),
            "invalid_choice": _("Choose approve or reject."),
        },
    )
    reason = StorableTextField(
        label=_("Reason, mailed and shown to the person"),
        required=False,
        max_length=REASON_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean(self) -> dict[str, Any]:
        """A rejection has a reason; one that cannot be stored is said to be that, not missing."""
        cleaned = super().clean() or self.cleaned_data
        unwritten = "reason" not in self.errors and is_blank(cleaned.get("reason", ""))
        if cleaned.get("decision") == REJECT and unwritten:
            sentence = gettext("A rejection needs a reason; write why this person may not take part.")
            self.add_error("reason", sentence)
        return cleaned
