"""Making a study or a rehearsal of one, and what is assumed about a study's people when it is planned."""

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from console.selectors.design import Assumptions
from reporting.forms.planner import number
from studies.models import BankVersion
from studies.services.slugs import MAX_CHARACTERS
from studies.services.studies import MAX_NAME_CHARACTERS


class NewStudyForm(forms.Form):
    """What a study is called and which questions it asks; everything else is set up step by step."""

    name = forms.CharField(
        label=_("Name"), help_text=_("Participants see it. It can be changed until the study is locked."),
        max_length=MAX_NAME_CHARACTERS, error_messages={"required": _("Give the study a name.")},
    )  # fmt: skip
    slug = forms.CharField(
        label=_("Short name"),
        help_text=_("In addresses and files, such as spring-pilot. It stays."),
        max_length=MAX_CHARACTERS,
        error_messages={"required": _("Give the study a short name, such as spring-pilot.")},
    )
    bank_version = forms.ModelChoiceField(
        label=_("Question bank"),
        queryset=BankVersion.objects.select_related("bank").order_by("bank__slug", "-number"),
        empty_label=None,
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Choose a bank from the list.")),
    )
    is_simulated = forms.BooleanField(
        label=_("Simulated: a rehearsal in which invented people answer"), required=False,
        help_text=_("It is marked everywhere, in files too, mails nobody, and does not become a real one."),
    )  # fmt: skip


class AssumptionsForm(forms.Form):
    """What the planner assumes; the sizes are those of the study's settings."""

    between_sd = number(
        _("SD of ability between people (logits)"), 0, 5, 0.9,
        _("On the scale of ability; 0.9 is a mixed group, 0.35 a uniform one."),
    )  # fmt: skip
    missing = number(_("Share of answers without a score"), 0, 0.95, 0.066, _("From 0 to 0.95."))
    pay = number(_("Pay per person"), 0, 1e6, 0, _("In one currency for all prices."))
    judge_call = number(_("Price of one call of the judge"), 0, 1e6, 0)
    calls_per_answer = number(_("Calls of the judge per answer"), 0, 1000, 1)

    def assumed(self) -> Assumptions:
        values: dict[str, Any] = self.cleaned_data
        return Assumptions(**values)


# Within half an hour, which is what one job takes at most.
MAX_REHEARSED = 250


class RehearsalForm(forms.Form):
    """Who takes part in a rehearsal."""

    people = forms.IntegerField(
        label=_("Simulated people"), min_value=1, max_value=MAX_REHEARSED,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"),
            format_lazy(_("Write a whole number from 1 to {most}."), most=MAX_REHEARSED),
        ),
        help_text=_("In all, up to the number of places. Each takes a few seconds."),
    )  # fmt: skip
    off_task = forms.BooleanField(
        label=_("Some of them do not answer the questions, so that there is something to screen"),
        required=False,
    )
