"""What a person says about the resources used, and that they want to withdraw."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import Session
from batches.services.ending import NOTE_CHARACTERS, DeclaredResources
from studies.forms.texts import StorableTextField


def _optional_text(label: Any) -> StorableTextField:
    area = forms.Textarea(attrs={"rows": 2})
    return StorableTextField(label=label, required=False, max_length=NOTE_CHARACTERS, widget=area)


class ResourcesForm(forms.Form):
    """Broad kinds once for the whole batch; "nothing" must be said, not left open."""

    note = _optional_text(gettext_lazy("Anything else, in your own words"))
    nothing = forms.BooleanField(label=gettext_lazy("I used no resources"), required=False)

    def __init__(self, session: Session, data: Any = None) -> None:
        super().__init__(data, initial=_recorded(session))
        offered = session.participant.study.protocol.resource_categories
        self.fields["categories"] = forms.MultipleChoiceField(
            label=_("Kinds of resources"),
            choices=[(name, name) for name in offered],
            required=False,
            widget=forms.CheckboxSelectMultiple,
        )
        self.order_fields(["categories", "note", "nothing"])

    def clean(self) -> dict[str, Any]:
        """Require a declaration that does not contradict itself."""
        values = super().clean() or self.cleaned_data
        used = bool(values.get("categories") or values.get("note", "").strip())
        if used and values.get("nothing"):
            raise forms.ValidationError(
                _('You chose "nothing" and named resources as well; keep one of them.')
            )
        if not used and not values.get("nothing") and not self.errors:
            raise forms.ValidationError(_('Tick what you used, or tick "nothing".'))
        return values

    @property
    def declared(self) -> DeclaredResources:
        """The valid form's declaration."""
        return DeclaredResources(categories=self.cleaned_data["categories"], note=self.cleaned_data["note"])


class WithdrawForm(forms.Form):
    """One deliberate tick; a reason is welcome and not needed."""

    reason = _optional_text(gettext_lazy("Reason (you need not give one)"))
    confirm = forms.BooleanField(
        label=gettext_lazy("I want to withdraw from this study. This cannot be undone.")
    )


def _recorded(session: Session) -> dict[str, object]:
    if session.resources_recorded_at is None:
        return {}
    nothing = not session.resources and not session.resources_note
    return {"categories": session.resources, "note": session.resources_note, "nothing": nothing}
