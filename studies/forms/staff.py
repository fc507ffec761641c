"""What the study team sends about people: decisions on taking part, invitations."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from studies.forms.texts import CHOICE_ERRORS, REASON_CHARACTERS, StorableTextField
from studies.models import Study
from studies.protocol.visible import is_blank
from studies.services.people.participants import EMAIL_CHARACTERS

APPROVE, REJECT = "approve", "reject"


class VettingForm(forms.Form):
    """Approve, or reject with a reason."""

    decision = forms.ChoiceField(
        choices=[(APPROVE, _("Approve")), (REJECT, _("Reject"))],
        error_messages=dict.fromkeys(CHOICE_ERRORS, _("Choose approve or reject.")),
    )
    reason = StorableTextField(
        label=_("Reason, mailed and shown to the person"),
        required=False,
        max_length=REASON_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean(self) -> dict[str, Any]:
        """A rejection has a reason; one that cannot be stored is said to be that, not missing."""
        cleaned = super().clean() or self.cleaned_data
        unwritten = "reason" not in self.errors and is_blank(cleaned.get("reason", ""))
        if cleaned.get("decision") == REJECT and unwritten:
            sentence = gettext("A rejection needs a reason; write why this person may not take part.")
            self.add_error("reason", sentence)
        return cleaned


class InvitationForm(forms.Form):
    """Whom to invite, as what. The profiles are the study's."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=EMAIL_CHARACTERS,
        error_messages={
            "required": _("Write the address of the person to invite."),
            "invalid": _("This is no e-mail address; correct it."),
        },
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    profile = forms.ChoiceField(
        label=_("Profile"),
        error_messages={
            "required": _("Choose a profile."),
            "invalid_choice": _("Choose a profile of this study."),
        },
    )
    is_test = forms.BooleanField(
        label=_("Test run: this person's answers are kept out of the results"), required=False
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        profiles = self.fields["profile"]
        assert isinstance(profiles, forms.ChoiceField)  # noqa: S101  # narrows the type
        known = [(profile.slug, profile.name) for profile in study.protocol.profiles]
        # Nobody is invited as the wrong kind of participant because it stood first.
        profiles.choices = known if len(known) == 1 else [("", gettext("Choose a profile")), *known]
