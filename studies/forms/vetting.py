"""A decision on whether a person may take part."""

from typing import Any

from django import forms

APPROVE, REJECT = "approve", "reject"


class VettingForm(forms.Form):
    """Approve, or reject with a reason."""

    decision = forms.ChoiceField(
        choices=[(APPROVE, "Approve"), (REJECT, "Reject")],
        error_messages={
            "required": "Choose approve or reject.",
            "invalid_choice": "Choose approve or reject.",
        },
    )
    reason = forms.CharField(required=False, max_length=2000)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("decision") == REJECT and not cleaned.get("reason"):
            self.add_error("reason", "A rejection needs a reason; write why this person may not take part.")
        return cleaned
