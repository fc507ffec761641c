"""The lead's answer to one item of the human-baseline checklist."""

from django import forms
from django.utils.translation import gettext_lazy as _

from reporting.selectors.checklist_items import ITEMS
from studies.forms.texts import StorableTextField

ANSWER_CHARACTERS = 5_000


class ChecklistForm(forms.Form):
    """One item and what the study lead says to it."""

    item = forms.ChoiceField(
        choices=[(number, number) for number in ITEMS],
        error_messages={
            "required": _("Open this page again before answering."),
            "invalid_choice": _("The checklist has no such item; open this page again."),
        },
    )
    text = StorableTextField(label=_("Answer"), max_length=ANSWER_CHARACTERS, widget=forms.Textarea)
