"""What staff send from scoring pages."""

from django import forms

from scoring.models import VerdictDecision

REASON_CHARACTERS = 2000


class VerdictForm(forms.Form):
    """A reviewer's decision. `seen` is the newest verdict that was on the page, empty if there was none."""

    decision = forms.ChoiceField(
        choices=VerdictDecision,
        error_messages={
            "required": "Choose one of the two buttons.",
            "invalid_choice": "Choose one of the two buttons.",
        },
    )
    reason = forms.CharField(
        max_length=REASON_CHARACTERS,
        widget=forms.Textarea,
        error_messages={
            "required": "A verdict needs a reason; write why.",
            "max_length": f"The reason is too long; use at most {REASON_CHARACTERS} characters.",
        },
    )
    seen = forms.IntegerField(
        required=False, min_value=1, error_messages={"invalid": "Open this page again before deciding."}
    )
