"""What a study asks people about themselves before the decision, and how their answers read."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from studies.forms.texts import CHOICE_ERRORS, StorableTextField
from studies.models import Participant
from studies.selectors.participants import credentials_of, newest_profile
from studies.services.people.credentials import CheckedFile, CredentialRefused, credential_check

WORD_CHARACTERS, DETAIL_CHARACTERS = 200, 1000
DETAILS = "_details"
ACCEPTED_TYPES = ".pdf,.png,.jpg,.jpeg,application/pdf,image/png,image/jpeg"

LABELS = {
    "field": gettext_lazy("Field of study or work"),
    "level": gettext_lazy("Level of education"),
    "institution": gettext_lazy("Institution"),
    "languages": gettext_lazy("Languages"),
    "prior_baselining": gettext_lazy("Have you answered questions for a study of this kind before?"),
    "prior_exposure": gettext_lazy("Have you seen questions of this benchmark before?"),
    "ai_experience": gettext_lazy("How often do you use AI tools?"),
}
SHORT_LABELS = {
    "field": gettext_lazy("Field"),
    "level": gettext_lazy("Education"),
    "institution": gettext_lazy("Institution"),
    "languages": gettext_lazy("Languages"),
    "prior_baselining": gettext_lazy("Studies of this kind before"),
    "prior_exposure": gettext_lazy("Saw the questions before"),
    "ai_experience": gettext_lazy("Uses AI tools"),
}
LEVELS = [
    ("school", gettext_lazy("School")),
    ("undergraduate", gettext_lazy("Studying for a first degree")),
    ("first_degree", gettext_lazy("First degree")),
    ("masters", gettext_lazy("Master's degree, or studying for one")),
    ("doctoral", gettext_lazy("Working on a doctorate")),
    ("doctorate", gettext_lazy("Doctorate")),
    ("other", gettext_lazy("Something else")),
]
AI_EXPERIENCE = [
    ("never", gettext_lazy("Never")),
    ("rarely", gettext_lazy("Less than once a month")),
    ("monthly", gettext_lazy("A few times a month")),
    ("weekly", gettext_lazy("A few times a week")),
    ("daily", gettext_lazy("Every day")),
]
YES_NO = [("no", pgettext_lazy("answer", "No")), ("yes", pgettext_lazy("answer", "Yes"))]
CHOICES = {
    "level": LEVELS,
    "ai_experience": AI_EXPERIENCE,
    "prior_baselining": YES_NO,
    "prior_exposure": YES_NO,
}
HELP = {
    "field": gettext_lazy("For example: molecular biology."),
    "institution": gettext_lazy("Where you study or work. Leave it blank if there is none."),
    "languages": gettext_lazy("Those you read and write well, the best one first."),
}


class ProfileQuestions(forms.Form):
    """The questions this study asks, with the person's newest answers filled in."""

    def __init__(self, participant: Participant, data: Any = None, files: Any = None) -> None:
        newest = newest_profile(participant)
        super().__init__(data, files, initial=newest.answers if newest else {})
        protocol = participant.study.protocol
        for question in protocol.questions_for(participant.profile):
            self.fields[question] = _field(question)
            if CHOICES.get(question) is YES_NO:
                self.fields[question + DETAILS] = StorableTextField(
                    label=gettext_lazy("If yes: which, and when?"),
                    max_length=DETAIL_CHARACTERS,
                    required=False,
                    widget=forms.Textarea(attrs={"rows": 2}),
                )
        self.file_asked = protocol.credential_file != "off"
        if self.file_asked:
            required = protocol.credential_file == "required" and not credentials_of(participant).exists()
            self.fields["credential"] = forms.FileField(
                label=gettext_lazy("A file that supports your profile"),
                help_text=gettext_lazy(
                    "For example a student card or a certificate: PDF, PNG or JPEG, at most 5 MB. "
                    "Only the study team can open it."
                ),
                required=required,
                # Emptiness and size are judged together with the content.
                allow_empty_file=True,
                widget=forms.FileInput(attrs={"accept": ACCEPTED_TYPES}),
                error_messages={
                    "required": gettext_lazy(
                        "This study needs a file that supports your profile. Choose one."
                    ),
                    "invalid": gettext_lazy("The file did not arrive. Choose it again."),
                },
            )

    def clean_credential(self) -> CheckedFile | None:
        """Take a file only if its content is of a type the study team can open."""
        upload = self.cleaned_data["credential"]
        if not upload:
            return None
        try:
            return credential_check(name=upload.name, size=upload.size, content=upload.read())
        except CredentialRefused as refusal:
            raise ValidationError(str(refusal)) from None

    @property
    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField | None]]:
        """Each question with the field for its details, where it has one."""
        return [
            (self[name], self[name + DETAILS] if name + DETAILS in self.fields else None)
            for name in self.fields
            if not name.endswith(DETAILS)
        ]

    @property
    def answers(self) -> dict[str, str]:
        """The valid form's answers by question."""
        return {name: value for name, value in self.cleaned_data.items() if name != "credential"}

    @property
    def file(self) -> CheckedFile | None:
        """The valid form's file."""
        return self.cleaned_data.get("credential")

    @property
    def file_was_sent(self) -> bool:
        """Whether a file came along: browsers do not fill it in again when the form is shown once more."""
        return "credential" in self.files


def _field(question: str) -> forms.Field:
    label = LABELS[question]
    if question not in CHOICES:
        required = question != "institution"
        return StorableTextField(
            label=label, help_text=HELP[question], max_length=WORD_CHARACTERS, required=required
        )
    errors = dict.fromkeys(CHOICE_ERRORS, gettext_lazy("Choose one of the answers."))
    if CHOICES[question] is YES_NO:
        return forms.ChoiceField(label=label, choices=YES_NO, widget=forms.RadioSelect, error_messages=errors)
    choices = [("", gettext_lazy("Please choose")), *CHOICES[question]]
    return forms.ChoiceField(label=label, choices=choices, error_messages=errors)


def profile_lines(answers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Stored answers as label and text, in the order of the form; what was left blank is left out."""
    lines = []
    for question, label in LABELS.items():
        if answer := answers.get(question):
            text = str(dict(CHOICES.get(question, ())).get(answer, answer))
            if details := answers.get(question + DETAILS, ""):
                text = _("%(answer)s: %(details)s") % {"answer": text, "details": details}
            lines.append((str(label), text))
    return lines


def profile_facts(answers: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The same with a short label before the whole one."""
    lines = dict(profile_lines(answers))
    return [
        (str(SHORT_LABELS[question]), str(label), lines[str(label)])
        for question, label in LABELS.items()
        if str(label) in lines
    ]
