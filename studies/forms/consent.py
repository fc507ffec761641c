"""The decision on a consent text."""

from django import forms

ACCEPT, DECLINE = "accept", "decline"


class ConsentForm(forms.Form):
    """`shown` is the hash of the text that was on the page."""

    decision = forms.ChoiceField(
        choices=[(ACCEPT, "I agree"), (DECLINE, "I decline")],
        error_messages={
            "required": "Choose one of the two buttons.",
            "invalid_choice": "Choose one of the two buttons.",
        },
    )
    shown = forms.RegexField(
        regex=r"^[0-9a-f]{64}$",
        widget=forms.HiddenInput,
        error_messages={
            "required": "Open this page again before deciding.",
            "invalid": "Open this page again before deciding.",
        },
    )
