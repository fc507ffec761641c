"""Who is in the team of a study, and who is staff of the site."""

from django import forms
from django.utils.translation import gettext_lazy as _

from studies.forms.texts import REASON_CHARACTERS, StorableTextField
from studies.models.roles import ROLES
from studies.roles import GRANTABLE, Can, Role
from studies.services.people.participants import EMAIL_CHARACTERS

ADDRESS_ERRORS = {
    "required": _("Write the person's e-mail address."),
    "invalid": _("This is no e-mail address; correct it."),
}
ROLE_ERRORS = {"required": _("Choose a role."), "invalid_choice": _("Choose a role of the list.")}


class AddressForm(forms.Form):
    """Somebody by their address."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=EMAIL_CHARACTERS,
        error_messages=ADDRESS_ERRORS,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )


class FactorForm(forms.Form):
    """Why somebody's second factor is reset; it stays in the history of the site."""

    reason = StorableTextField(
        label=_("Why, and how you know that it is they who ask"),
        max_length=REASON_CHARACTERS,
        error_messages={"required": _("Write why it is reset, and how you know that it is they who ask.")},
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class RoleForm(forms.Form):
    """A part in a study."""

    role = forms.TypedChoiceField(
        label=_("Role"), choices=ROLES, coerce=Role, initial=Role.REVIEWER.value, error_messages=ROLE_ERRORS
    )


class RightsForm(forms.Form):
    """The rights that a coordinator has besides their part; none may be chosen."""

    rights = forms.TypedMultipleChoiceField(
        choices=[(right.value, right.value) for right in GRANTABLE], coerce=Can, required=False
    )


class ColleagueForm(AddressForm, RoleForm):
    """A part in a study for whoever has an address."""

    field_order = ("email", "role")


class StaffForm(AddressForm):
    """A member of the site's staff."""

    superuser = forms.BooleanField(
        label=_("Site administrator: may do everything in every study, and run the site"), required=False
    )
    creates_studies = forms.BooleanField(
        label=_("May make studies, question banks and judges"), required=False
    )
