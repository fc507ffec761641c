"""What reviewers decide about flagged participants."""

from django import forms
from django.utils.translation import gettext_lazy as _

from screening.models import VerdictDecision
from studies.forms.texts import REASON_CHARACTERS, StorableTextField


class VerdictForm(forms.Form):
    """A reviewer's decision. `seen` is the newest verdict that was on the page, empty if there was none."""

    decision = forms.ChoiceField(
        choices=VerdictDecision,
        error_messages={
            "required": _("Choose one of the two buttons."),
            "invalid_choice": _("Choose one of the two buttons."),
        },
    )
    reason = StorableTextField(
        max_length=REASON_CHARACTERS,
        widget=forms.Textarea,
        error_messages={"required": _("A verdict needs a reason; write why.")},
    )
    seen = forms.IntegerField(
        required=False, min_value=1, error_messages={"invalid": _("Open this page again before deciding.")}
    )
