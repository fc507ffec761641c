"""What a recruiting platform sends along, and what people take back to it."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from studies.models.recruiting import PARAMETER_CHARACTERS, WAY_BACK_CHARACTERS, RecruitingLink
from studies.services.people.recruiting_links import LinkSettings, is_address

PARAMETERS = ("participant_parameter", "study_parameter", "session_parameter")
COMMONEST = dict(zip(PARAMETERS, ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), strict=True))


def _parameter(label: Any, *, required: bool = False, help_text: Any = "") -> forms.RegexField:
    return forms.RegexField(
        regex=r"^[A-Za-z][A-Za-z0-9_-]*\Z",
        label=label,
        help_text=help_text,
        required=required,
        max_length=PARAMETER_CHARACTERS,
        strip=True,
        error_messages={
            "required": gettext_lazy("Write the name of the parameter with the participant's id."),
            "invalid": gettext_lazy("Use letters, digits, _ and - alone, beginning with a letter."),
        },
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class _WayBackField(forms.CharField):
    """A code, or an https address."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
        super().__init__(required=False, max_length=WAY_BACK_CHARACTERS, widget=widget, **options)

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if not text.isprintable() or " " in text:
            raise forms.ValidationError(_("Write a code without spaces, or an address."))
        if "//" in text and not is_address(text):
            raise forms.ValidationError(_("Write the whole address, beginning with https://."))
        return text


class RecruitingForm(forms.Form):
    """The settings of one profile's link."""

    participant_parameter = _parameter(
        gettext_lazy("Participant's id"),
        required=True,
        help_text=gettext_lazy(
            "PROLIFIC_PID for Prolific, participantId for CloudResearch Connect, workerId for Mechanical "
            "Turk; with these names only ids of that platform are taken, and its rule on addresses is kept."
        ),
    )
    study_parameter = _parameter(gettext_lazy("Id of the study there (blank: none is sent)"))
    session_parameter = _parameter(gettext_lazy("Id of the session there (blank: none is sent)"))
    completed = _WayBackField(
        label=gettext_lazy("After the end of the session"),
        help_text=gettext_lazy("A completion code, or an https address. Shown on the receipt."),
    )
    turned_down = _WayBackField(
        label=gettext_lazy("To whoever is not approved"),
        help_text=gettext_lazy("Another code or address, shown with your decision. Blank: nothing is shown."),
    )

    @classmethod
    def of(cls, link: RecruitingLink | None) -> "RecruitingForm":
        """The form with the link as it is, or with the commonest names."""
        return cls(initial={name: getattr(link, name) for name in cls.base_fields} if link else COMMONEST)

    def clean(self) -> dict[str, Any]:
        """Each id has a parameter of its own."""
        cleaned = super().clean() or self.cleaned_data
        names = [cleaned[name] for name in PARAMETERS if cleaned.get(name)]
        if len(set(names)) < len(names):
            raise forms.ValidationError(_("Two ids have the same parameter; give each its own."))
        return cleaned

    def beside(self, link: RecruitingLink | None) -> list[dict[str, object]]:
        """What the link has and what was written, where they differ."""
        both = {name: (getattr(link, name, ""), value) for name, value in self.cleaned_data.items()}
        return [
            {"label": self.fields[name].label, "stored": stored, "written": written}
            for name, (stored, written) in both.items()
            if stored != written
        ]

    @property
    def settings(self) -> LinkSettings:
        """The valid form's settings."""
        return LinkSettings(**self.cleaned_data)
