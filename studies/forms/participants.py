"""What a participant decides and answers before the start: the consent text, the comprehension check."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from studies.forms.texts import CHOICE_ERRORS
from studies.protocol.settings import ProtocolSettings
from studies.selectors.comprehension import questions_sha256

ACCEPT, DECLINE = "accept", "decline"


class ConsentForm(forms.Form):
    """`shown` is the hash of the text and the list that were on the page."""

    decision = forms.ChoiceField(
        choices=[(ACCEPT, _("I agree and take part")), (DECLINE, _("I decline"))],
        error_messages=dict.fromkeys(CHOICE_ERRORS, _("Choose one of the two buttons.")),
    )
    shown = forms.RegexField(
        regex=r"^[0-9a-f]{64}$",
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("required", "invalid"), _("Open this page again before deciding.")),
    )


class CheckForm(forms.Form):
    """One choice per question of the study; `attempt` and `shown` say which try at which questions."""

    attempt = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    shown = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, protocol: ProtocolSettings, attempt: int, data: Any = None) -> None:
        self.current = questions_sha256(protocol)
        super().__init__(data, initial={"shown": self.current, "attempt": attempt})
        self.question_names = [f"question-{number}" for number, _q in enumerate(protocol.check_questions, 1)]
        for name, question in zip(self.question_names, protocol.check_questions, strict=True):
            self.fields[name] = forms.TypedChoiceField(
                label=question.question,
                choices=list(enumerate(question.options, 1)),
                coerce=int,
                widget=forms.RadioSelect,
                error_messages=dict.fromkeys(CHOICE_ERRORS, _("Choose one of the answers.")),
            )

    @property
    def questions(self) -> list[forms.BoundField]:
        """The fields to show, in order."""
        return [self[name] for name in self.question_names]

    @property
    def is_stale(self) -> bool:
        """Whether the page it comes from showed other questions than the study asks now."""
        return bool(self["shown"].value() != self.current)

    @property
    def choices(self) -> list[int]:
        """The valid form's chosen options, from 1."""
        return [self.cleaned_data[name] for name in self.question_names]
