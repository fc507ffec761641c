"""What staff send about judging a study."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from judging.models import JudgeConfig
from judging.services.running.judge_specs import MAX_REPLICATES
from presentation.numbers import decimals, numbered
from studies.models import Study

AMOUNT = gettext_lazy("Write an amount such as 12.50, or nothing for no limit.")


def budget_field() -> forms.DecimalField:
    """What judging may cost; nothing for no limit."""
    return forms.DecimalField(
        label=gettext_lazy("Budget"),
        help_text=gettext_lazy(
            "In the currency of the judges' prices. The run pauses before more is spent; empty: no limit."
        ),
        required=False,
        min_value=Decimal(0),
        max_digits=12,
        decimal_places=4,
        widget=forms.NumberInput(attrs={"step": "any"}),
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_digits", "max_decimal_places", "max_whole_digits"), AMOUNT
        ),
    )


class PlanForm(forms.Form):
    """Whom to ask, how often, for how much. `seen` names the plan whose estimate was on the page."""

    judges = forms.ModelMultipleChoiceField(
        label=gettext_lazy("Judges"),
        queryset=JudgeConfig.objects.all(),
        to_field_name="slug",
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one judge."),
            "invalid_choice": gettext_lazy("Choose among the judges of this site."),
        },
    )
    replicates = forms.IntegerField(
        label=gettext_lazy("How often each judge is asked"),
        help_text=gettext_lazy(
            "More than once shows how far a judge agrees with itself, and costs as much more."
        ),
        initial=1,
        min_value=1,
        max_value=MAX_REPLICATES,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"),
            gettext_lazy("Write a whole number between 1 and 5."),
        ),
    )
    budget = budget_field()
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if study.protocol.judge_kind != "llm":
            # The study's own judge: there is nothing to choose, and nothing to pay.
            for name in ("judges", "replicates", "budget"):
                del self.fields[name]

    @property
    def chosen(self) -> list[JudgeConfig]:
        return list(self.cleaned_data.get("judges", ()))

    @property
    def replicates_wanted(self) -> int:
        return int(self.cleaned_data.get("replicates", 1))

    @property
    def budget_wanted(self) -> Decimal | None:
        amount: Decimal | None = self.cleaned_data.get("budget")
        return amount


class ResumeForm(forms.Form):
    """Going on with a run; `spent` is what it has cost so far."""

    budget = budget_field()

    def __init__(self, *args: Any, spent: Decimal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._spent = spent

    def clean_budget(self) -> Decimal | None:
        budget: Decimal | None = self.cleaned_data["budget"]
        if budget is not None and budget <= self._spent and self._spent > 0:
            said = _("%(spent)s is spent already; give the run more than that, or no limit.")
            raise forms.ValidationError(said % {"spent": decimals(float(self._spent), 4)})
        return budget


class CancelForm(forms.Form):
    """Ending a run early takes two steps."""

    confirm = forms.BooleanField(
        error_messages={"required": gettext_lazy("Tick the box to confirm that the run is to end.")},
    )

    def __init__(self, *args: Any, left: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["confirm"].label = numbered(
            ngettext(
                "End this run: %(n)d verdict will not be asked for",
                "End this run: %(n)d verdicts will not be asked for",
                left,
            ),
            {"n": left},
        )
