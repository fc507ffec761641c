"""What staff send about audits: how to draw a sample, and a rated sheet."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from formats.problems import Problem
from judging.services.audit_ratings import RATER_CHARACTERS, RatingReading
from psychometrics.agreement.audit_sample import DEFAULT_SIZE
from reporting.forms.audit_file import read_ratings
from studies.forms.texts import REASON_CHARACTERS, StorableTextField
from studies.services.people.credentials import MAX_BYTES

MAX_SEED = 2**63 - 1


class DrawForm(forms.Form):
    """How many verdicts, by which seed, from which prompts."""

    size = forms.IntegerField(
        label=_("How many verdicts"),
        help_text=_("At least 200 for a kappa that says something."),
        initial=DEFAULT_SIZE,
        min_value=1,
        error_messages=dict.fromkeys(("required", "invalid", "min_value"), _("Write a number such as 200.")),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        help_text=_("The same seed draws the same verdicts again. Empty: by chance."),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), _("Write a whole number from 0, or nothing.")
        ),
    )
    public_only = forms.BooleanField(
        label=_("Public questions only: the raters are not of this site"), required=False
    )


class RatingsForm(forms.Form):
    """Who rated, and their sheet; `problems` are what kept the sheet from being taken over.

    Whoever does not lead the audit rates in their own name (`names_rater` false), and is not asked for one.
    """

    problems: tuple[Problem, ...] = ()

    rater = forms.CharField(
        label=_("Rater"),
        help_text=_("A name or a pseudonym. The export of the study says “1”, “2” … instead."),
        max_length=RATER_CHARACTERS,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _("Write who rated."), "max_length": _("Write at most 100 characters.")},
    )
    sheet = forms.FileField(
        label=_("Rated sheet"),
        help_text=_("The CSV file with the column human_score filled in; at most 5 MB."),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
        error_messages=dict.fromkeys(("required", "invalid"), _("Choose the file.")),
    )

    def __init__(self, *args: Any, names_rater: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not names_rater:
            del self.fields["rater"]

    def clean_sheet(self) -> UploadedFile:
        sheet: UploadedFile = self.cleaned_data["sheet"]
        # Uploads end here, whatever they are; the command line takes larger sheets.
        if (sheet.size or 0) > MAX_BYTES:
            raise forms.ValidationError(
                _("The file is larger than 5 MB; is it the right one? The command audit_sample takes 20 MB.")
            )
        return sheet

    @property
    def reading(self) -> RatingReading:
        return read_ratings(self.cleaned_data["sheet"].read())


class RatingForm(forms.Form):
    """One answer of a sample, rated on its page."""

    number = forms.IntegerField(min_value=1, error_messages={"invalid": _("Open this page again.")})
    score = forms.FloatField(
        min_value=0,
        max_value=1,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), _("Choose one of the three buttons.")
        ),
    )
    comment = StorableTextField(required=False, max_length=REASON_CHARACTERS)
