"""Forms around a study's protocol: its file, its end, its amendments."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from formats.file_kinds import PROTOCOL, document_fault
from formats.files import FileRefused, parsed_json
from presentation.problems import problem_in_words
from studies.forms.texts import REASON_CHARACTERS, StorableTextField

MAX_BYTES = 1024 * 1024


class ProtocolFileForm(forms.Form):
    """A JSON object of settings."""

    file = forms.FileField(
        label=gettext_lazy("Protocol file"),
        help_text=gettext_lazy("JSON, as this site writes it; a setting that the file leaves out stays."),
        error_messages=dict.fromkeys(
            ("required", "missing", "invalid", "empty"), gettext_lazy("Choose a file with something in it.")
        ),
    )

    def clean_file(self) -> dict[str, object]:
        upload: Any = self.cleaned_data["file"]
        if upload.size > MAX_BYTES:
            raise forms.ValidationError(
                _("The file is larger than 1 MB, as no protocol is. Nothing changed.")
            )
        try:
            value = parsed_json(upload.read(), file=_("The file"))
        except FileRefused as error:
            raise forms.ValidationError(problem_in_words(str(error))) from None
        if fault := document_fault(value, PROTOCOL):
            raise forms.ValidationError(problem_in_words(f"{_('The file')}: {fault}."))
        if not isinstance(value, dict):
            raise forms.ValidationError(_('The file must hold an object, such as {"batch_size": 20}.'))
        return value


class ReasonForm(forms.Form):
    """Why something is done; it stays in the study's history."""

    reason = StorableTextField(
        label=gettext_lazy("Reason"),
        max_length=REASON_CHARACTERS,
        help_text=gettext_lazy("It stays in the study's history and goes into its report."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class AmendmentForm(ReasonForm):
    """Why a locked study is changed; once there were results, also why these are not the reason."""

    def __init__(self, *args: Any, after_results: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if after_results:
            self.fields["reason"].label = _("Reason, and what was known of the results")


class CloseForm(ReasonForm):
    """Closing a study."""
