"""What reviewers decide about flagged participants, and how many are read twice."""

from django import forms
from django.utils.translation import gettext_lazy as _

from screening.models import VerdictDecision
from screening.offtask.readings import DEFAULT_SECOND_SHARE
from studies.forms.texts import REASON_CHARACTERS, StorableTextField

CHOOSE = _("Choose one of the three buttons.")
PERCENT = _("Write a number from 0 to 100.")


class VerdictForm(forms.Form):
    """A reviewer's decision. `seen` is the newest verdict when the page was made, empty if there was none."""

    decision = forms.ChoiceField(
        choices=VerdictDecision, error_messages={"required": CHOOSE, "invalid_choice": CHOOSE}
    )
    reason = StorableTextField(
        max_length=REASON_CHARACTERS,
        widget=forms.Textarea,
        error_messages={"required": _("A verdict needs a reason; write why.")},
    )
    seen = forms.IntegerField(
        required=False, min_value=1, error_messages={"invalid": _("Open this page again before deciding.")}
    )


class ShareForm(forms.Form):
    """Which share of the flagged people a second reviewer reads, in percent."""

    percent = forms.FloatField(
        label=_("Percent of the flagged people"),
        initial=round(100 * DEFAULT_SECOND_SHARE),
        min_value=0,
        max_value=100,
        error_messages=dict.fromkeys(("required", "invalid", "min_value", "max_value"), PERCENT),
    )

    @property
    def share(self) -> float:
        return float(self.cleaned_data["percent"]) / 100
