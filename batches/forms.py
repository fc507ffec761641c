"""The forms of people's pages, which save without JavaScript, and of the study team's page of one person."""

from collections.abc import Mapping
from typing import Any, Self

from django import forms
from django.utils.translation import get_language, gettext as _, gettext_lazy

from batches.models import Draft, Session
from batches.services.answers import IncomingText
from batches.services.ending import NOTE_CHARACTERS, DeclaredResources
from batches.services.extending import MAX_MINUTES
from studies.forms.texts import REASON_CHARACTERS, LinesField, StorableTextField
from studies.services.people.participants import EMAIL_CHARACTERS

MAX_REVISION = 2**31 - 1
SAVED_TOGETHER = ("text", "note", "confidence")
# How sure somebody is, in percent. Other whole percentages are accepted, too, and shown as they are.
CONFIDENCE_LEVELS = (
    (10, gettext_lazy("Guess")),
    (30, gettext_lazy("Unsure")),
    (50, gettext_lazy("Fairly")),
    (70, gettext_lazy("Sure")),
    (90, gettext_lazy("Certain")),
)


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
        label=gettext_lazy("What you used for this question (optional)"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off", "dir": "auto"}),
    )
    confidence = forms.IntegerField(
        label=gettext_lazy("How sure are you?"),
        required=False,
        min_value=0,
        max_value=100,
        widget=forms.RadioSelect(attrs={"autocomplete": "off"}),
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
        if session.asks_confidence:
            # The levels, a percentage that is none of them, and the way to say nothing.
            value = self["confidence"].value()
            chosen = str(value if value is not None else "")
            levels = [(str(level), words) for level, words in CONFIDENCE_LEVELS]
            own = [(chosen, f"{chosen} %")] if chosen.isdigit() and chosen not in dict(levels) else []
            self.fields["confidence"].widget.choices = [*levels, *own, ("", _("No answer"))]
        else:
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


def _optional_text(label: Any) -> StorableTextField:
    area = forms.Textarea(attrs={"rows": 2})
    return StorableTextField(label=label, required=False, max_length=NOTE_CHARACTERS, widget=area)


class ResourcesForm(forms.Form):
    """Broad kinds once for the whole batch; "nothing" must be said, not left open."""

    note = _optional_text(gettext_lazy("Anything else, in your own words"))
    nothing = forms.BooleanField(label=gettext_lazy("I used no resources"), required=False)

    def __init__(self, session: Session, data: Any = None) -> None:
        declared: dict[str, Any] = {}
        if session.resources_recorded_at is not None:
            declared = {"categories": session.resources, "note": session.resources_note}
            declared["nothing"] = not session.resources and not session.resources_note
        super().__init__(data, initial=declared)
        protocol = session.participant.study.protocol
        named = protocol.entries_in("resource_categories", get_language() or "")[0]
        self.fields["categories"] = forms.MultipleChoiceField(
            label=_("Kinds of resources"),
            choices=list(zip(protocol.resource_categories, named, strict=True)),
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


class ReasonForm(forms.Form):
    """Why; it stays in the trail."""

    reason = StorableTextField(
        label=gettext_lazy("Reason"),
        max_length=REASON_CHARACTERS,
        help_text=gettext_lazy("Kept in the history. The person can read it in their own data."),
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": gettext_lazy("Write a reason; it is kept in the history.")},
    )


def _minutes_field(**options: Any) -> forms.IntegerField:
    missing = gettext_lazy("Write how many minutes.")
    return forms.IntegerField(max_value=MAX_MINUTES, error_messages={"required": missing}, **options)


class ExtraTimeForm(ReasonForm):
    """Minutes on top at the start; 0 takes them back."""

    minutes = _minutes_field(label=gettext_lazy("Minutes on top (0 takes them back)"), min_value=0)
    field_order = ("minutes", "reason")


class ExtendForm(ReasonForm):
    """Minutes later than the deadline the page showed: sending it twice extends once."""

    minutes = _minutes_field(label=gettext_lazy("Minutes"), min_value=1)
    field_order = ("minutes", "reason")
    deadline_seen = forms.DateTimeField(widget=forms.HiddenInput)


class AddressForm(forms.Form):
    """To which address the code goes."""

    email = forms.EmailField(
        label=gettext_lazy("Your e-mail address"),
        help_text=gettext_lazy("We send a code to it. You sign in with it now and whenever you come back."),
        max_length=EMAIL_CHARACTERS,
        error_messages={
            "required": gettext_lazy("Write your e-mail address."),
            "invalid": gettext_lazy("This is no e-mail address; correct it."),
        },
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
