"""What participants and the study team write to each other."""

from django import forms
from django.utils.translation import gettext_lazy as _

from studies.forms.texts import StorableTextField

MESSAGE_CHARACTERS = 5_000
PAGE_CHARACTERS = 200


class ReplyForm(forms.Form):
    """A message of the study team to one participant."""

    text = StorableTextField(
        label=_("Your reply"), max_length=MESSAGE_CHARACTERS, widget=forms.Textarea(attrs={"rows": 6})
    )


class HelpForm(forms.Form):
    """A message of a participant to the study team, with the page they came from."""

    text = StorableTextField(
        label=_("Your message"), max_length=MESSAGE_CHARACTERS, widget=forms.Textarea(attrs={"rows": 8})
    )
    page = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean_page(self) -> str:
        return page_shown(self.cleaned_data["page"])


def page_shown(address: str) -> str:
    """The path of a page of this site as a message carries it; anything else is left out."""
    inside = address.startswith("/") and not address.startswith("//") and address.isprintable()
    return address[:PAGE_CHARACTERS] if inside else ""
