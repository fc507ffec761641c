"""What reviewers decide about flagged participants."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from screening.models import VerdictDecision
from studies.forms.texts import REASON_CHARACTERS, StorableTextField
from studies.protocol.settings import ScreeningReason

CHOOSE = _("Choose one of the three verdicts.")
OTHER = "other"


class VerdictForm(forms.Form):
    """A reviewer's decision for one of the study's reasons, or one in their own words. `seen` is the newest
    verdict when the page was made, empty if there was none.
    """

    decision = forms.ChoiceField(
        choices=VerdictDecision, error_messages={"required": CHOOSE, "invalid_choice": CHOOSE}
    )
    reason_code = forms.ChoiceField(
        required=False, error_messages={"invalid_choice": _("Choose one of the reasons, or write your own.")}
    )
    reason = StorableTextField(max_length=REASON_CHARACTERS, widget=forms.Textarea, required=False)
    seen = forms.IntegerField(
        required=False, min_value=1, error_messages={"invalid": _("Open this page again before deciding.")}
    )

    def __init__(self, reasons: Sequence[ScreeningReason], data: Any = None) -> None:
        super().__init__(data)
        self.reasons = reasons
        codes = self.fields["reason_code"]
        assert isinstance(codes, forms.ChoiceField)  # noqa: S101  # narrows the type
        codes.choices = [*((reason.slug, reason.text) for reason in reasons), (OTHER, OTHER)]

    def clean(self) -> dict[str, Any]:
        """The reason in words: the one that was chosen, and what was written, with it or alone."""
        cleaned = super().clean() or self.cleaned_data
        code = cleaned.get("reason_code", "")
        chosen = next((reason.text for reason in self.reasons if reason.slug == code), "")
        written = cleaned.get("reason", "").strip()
        if not self.errors.keys() & {"reason", "reason_code"} and not (chosen or written):
            self.add_error("reason", gettext("A verdict needs a reason: choose one, or write why."))
        return cleaned | {
            "reason_code": code if chosen else "",
            "reason": ": ".join(filter(None, (chosen, written))),
        }
