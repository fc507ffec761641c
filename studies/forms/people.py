"""What participants decide and answer before the start (the consent text, the comprehension check), what the
study team sends about people (decisions on taking part, invitations), and what they write to each other.
"""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import get_language, gettext, gettext_lazy as _

from formats.text_faults import is_blank
from studies.forms.texts import CHOICE_ERRORS, REASON_CHARACTERS, StorableTextField
from studies.models import Study, VettingStatus
from studies.protocol.settings import ProtocolSettings
from studies.selectors.participants import questions_sha256
from studies.services.people.participants import EMAIL_CHARACTERS
from studies.services.people.people_import import NAME_CHARACTERS

ACCEPT, DECLINE = "accept", "decline"
APPROVE, REJECT = "approve", "reject"


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
        entries = protocol.entries_in("check_questions", get_language() or "")[0]
        for name, (question, *options) in zip(self.question_names, map(str.splitlines, entries), strict=True):
            self.fields[name] = forms.TypedChoiceField(
                label=question,
                choices=list(enumerate(options, 1)),
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


class VettingForm(forms.Form):
    """Approve, or reject with a reason. `seen` is the vetting status that was on the page."""

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
    seen = forms.ChoiceField(choices=VettingStatus.choices, required=False, widget=forms.HiddenInput)

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
    name = StorableTextField(
        label=_("Name, if you like"),
        help_text=_("The mail greets the person by it, and the team sees it. It is in no export."),
        required=False,
        max_length=NAME_CHARACTERS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )
    language = forms.ChoiceField(
        label=_("Language of the mail"), choices=[("", _("the site's")), *settings.LANGUAGES], required=False,
        error_messages={"invalid_choice": _("Choose a language from the list.")},
    )  # fmt: skip
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
