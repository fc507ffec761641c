"""The answer form, for saving without JavaScript."""

from django import forms

MAX_REVISION = 2**31 - 1


class AnswerForm(forms.Form):
    """One answer as the page shows it; `base_revision` is the revision it was shown with."""

    text = forms.CharField(
        label="Your answer",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "autocomplete": "off", "spellcheck": "true"}),
    )
    # Without `autocomplete`, Firefox puts the number from before a reload beside the text from after it.
    base_revision = forms.IntegerField(
        min_value=0, max_value=MAX_REVISION, widget=forms.HiddenInput(attrs={"autocomplete": "off"})
    )

    def clean_text(self) -> str:
        """Forms send line ends as CR LF, the script and the database hold LF."""
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")
