"""The answer form, for saving without JavaScript."""

from collections.abc import Mapping
from typing import Any, Self

from django import forms
from django.utils.translation import gettext_lazy

from batches.models import Draft, Session
from batches.services.answers import IncomingText
from studies.forms.texts import LinesField

MAX_REVISION = 2**31 - 1
SAVED_TOGETHER = ("text", "note", "confidence")


class AnswerForm(forms.Form):
    """One answer as the page shows it; `base_revision` is the revision it was shown with.

    The note and the confidence are there only where the session asks for them.
    """

    text = LinesField(
        label=gettext_lazy("Your answer"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "autocomplete": "off", "spellcheck": "true", "dir": "auto"}),
    )
    # The service counts and refuses; a browser that cuts off what is too long would lose it without a word.
    note = LinesField(
        label=gettext_lazy("What you used for this prompt (optional)"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off", "dir": "auto"}),
    )
    confidence = forms.IntegerField(
        label=gettext_lazy("How sure are you, in percent? (optional)"),
        required=False,
        min_value=0,
        max_value=100,
        widget=forms.NumberInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )
    # Without `autocomplete`, Firefox puts the number from before a reload beside the text from after it.
    base_revision = forms.IntegerField(
        min_value=0, max_value=MAX_REVISION, widget=forms.HiddenInput(attrs={"autocomplete": "off"})
    )

    def __init__(
        self,
        session: Session,
        data: Mapping[str, object] | None = None,
        *,
        initial: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self.session = session
        if not session.asks_note:
            del self.fields["note"]
        if not session.asks_confidence:
            del self.fields["confidence"]

    @classmethod
    def of(cls, session: Session, answer: Draft) -> Self:
        """The form with what is saved."""
        saved = {name: getattr(answer, name) for name in SAVED_TOGETHER}
        return cls(session, initial={**saved, "base_revision": answer.revision})

    def changes(self, answer: Draft) -> bool:
        """Whether it holds anything else than what is saved."""
        asked = [name for name in SAVED_TOGETHER if name in self.fields]
        return any(self.cleaned_data[name] != getattr(answer, name) for name in asked)

    def incoming(self, *, tab: str, sequence: int) -> IncomingText:
        """What it holds, as a save."""
        return IncomingText(**self.cleaned_data, tab=tab, sequence=sequence)

    def again(self, revision: int) -> Self:
        """The same texts in a form that knows a newer revision."""
        kept = {name: self.cleaned_data[name] for name in self.fields}
        return type(self)(self.session, initial={**kept, "base_revision": revision})
