"""What the study team announces, and to whom."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import Batch
from studies.forms.texts import StorableTextField
from studies.models import Audience, Prompt, Study
from studies.roles import Can
from studies.selectors.private_questions import seen_by

ANNOUNCEMENT_CHARACTERS = 2_000
LABEL_CHARACTERS = 20


class AnnouncementForm(forms.Form):
    """A notice to people in a study: of a state, and if wanted of a question set or with a question."""

    text = StorableTextField(
        label=gettext_lazy("Text of the announcement"),
        max_length=ANNOUNCEMENT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    audience = forms.ChoiceField(
        label=gettext_lazy("To whom"),
        choices=Audience.choices,
        initial=Audience.IN_SESSION,
        widget=forms.RadioSelect,
    )
    batch_number = forms.TypedChoiceField(
        label=gettext_lazy("Only those with the question set"),
        required=False,
        coerce=int,
        empty_value=None,
        error_messages={"invalid_choice": gettext_lazy("There is no such question set; choose one.")},
    )
    prompt_label = forms.CharField(
        label=gettext_lazy("Only those with the question"),
        required=False,
        max_length=LABEL_CHARACTERS,
        help_text=gettext_lazy("Its short label, such as Q-7F3, as participants see it."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, study: Study, rights: Collection[Can], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study, self.rights = study, rights
        sets = self.fields["batch_number"]
        assert isinstance(sets, forms.ChoiceField)  # noqa: S101  # narrows the type
        numbers = Batch.objects.filter(plan__study=study).values_list("number", flat=True)
        sets.choices = [("", _("All question sets")), *((number, str(number)) for number in numbers)]

    def clean_prompt_label(self) -> str:
        """The label as it is stored, of a question of this study that its author may know of."""
        label = self.cleaned_data["prompt_label"].upper()
        if not label:
            return ""
        label = label if label.startswith("Q-") else f"Q-{label}"
        known = seen_by(self.rights, Prompt.objects.filter(version=self.study.bank_version))
        if not known.filter(label=label).exists():
            raise forms.ValidationError(
                _("No question of this study has the label %(label)s.") % {"label": label}
            )
        return label

    def clean(self) -> dict[str, Any]:
        """Whoever has not started has no question set yet."""
        cleaned = super().clean() or self.cleaned_data
        narrowed = cleaned.get("batch_number") or cleaned.get("prompt_label")
        if narrowed and cleaned.get("audience") == Audience.NOT_STARTED:
            raise forms.ValidationError(
                _("Nobody has a question set before they start; choose other people, or all question sets.")
            )
        return cleaned
