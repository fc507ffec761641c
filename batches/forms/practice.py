"""The practice form, for saving without JavaScript."""

from typing import Self

from django import forms

from batches.forms.answers import AnswerForm
from batches.models import PracticeAnswer
from batches.services.answers import IncomingText


class PracticeForm(forms.Form):
    """A practice text with the revision it was shown with, as in a session."""

    text = AnswerForm.base_fields["text"]
    base_revision = AnswerForm.base_fields["base_revision"]

    @classmethod
    def of(cls, answer: PracticeAnswer) -> Self:
        """The form with what is saved."""
        return cls(initial={"text": answer.text, "base_revision": answer.revision})

    def incoming(self, *, tab: str, sequence: int) -> IncomingText:
        """What it holds, as a save."""
        return IncomingText(**self.cleaned_data, tab=tab, sequence=sequence)

    def again(self, revision: int) -> Self:
        """The same text in a form that knows a newer revision."""
        return type(self)(initial={"text": self.cleaned_data["text"], "base_revision": revision})
