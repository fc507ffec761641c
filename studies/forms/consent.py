"""The decision on a consent text."""

from django import forms
from django.utils.translation import gettext_lazy as _

ACCEPT, DECLINE = "accept", "decline"


class ConsentForm(forms.Form):
    """`shown` is the hash of the text and the list that were on the page."""

    decision = forms.ChoiceField(
        choices=[(ACCEPT, _("I agree and take part")), (DECLINE, _("I decline"))],
        error_messages={
            "required": _("Choose one of the two buttons."),
            "invalid_choice": _("Choose one of the two buttons."),
        },
    )
    shown = forms.RegexField(
        regex=r"^[0-9a-f]{64}$",
        widget=forms.HiddenInput,
        error_messages={
            "required": _("Open this page again before deciding."),
            "invalid": _("Open this page again before deciding."),
        },
    )
