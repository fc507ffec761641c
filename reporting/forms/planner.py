"""A study to be planned, as staff write it into a form or a command."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext as _, gettext_lazy

from formats.wording import gettext_noop
from presentation.numbers import Refusal
from psychometrics.planning.formulas import Plan, Prices
from psychometrics.planning.records import MATRIX, NESTED
from psychometrics.planning.tables import WANTED, Rehearsal

MAX_ANSWERS, MAX_REHEARSED, MAX_PROMPTS = 400_000, 1_500_000, 20_000
PLAN = "plan"  # the kind of job that computes what the formulas do not say
METHOD = 1  # of computing it: with another number, what was kept by this one is computed anew
KEPT = timedelta(days=30)
SIZES = ("people", "prompts_per_person", "bank_prompts")  # all that the linkage of designs depends on
CHOICES: Mapping[str, Sequence[tuple[str, Any]]] = {
    "design": (
        (NESTED, gettext_lazy("nested: one cut into question sets, each for several people")),
        (MATRIX, gettext_lazy("matrix sampling: a new cut for each round of people")),
    ),
    "batches": (("random", gettext_lazy("at random")), ("balanced", gettext_lazy("balanced"))),
}
CHOOSE = gettext_lazy("Choose one of the values in the list.")
SYNTHETIC = gettext_lazy("synthetic, of the size and information given here")
WRONG = ("required", "invalid", "min_value", "max_value")  # one sentence for whatever is wrong with a number
WHOLE = Refusal(gettext_noop("Write a whole number from %(low)s to %(high)s."))
NUMBER = Refusal(gettext_noop("Write a number from %(low)s to %(high)s."))
filled = lazy(operator.mod, str)  # a text with its facts


def whole(label: Any, low: int, high: int, initial: int, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=low, max_value=high, initial=initial, help_text=help_text,
        error_messages=dict.fromkeys(WRONG, filled(WHOLE, {"low": low, "high": high})),
    )  # fmt: skip


def number(label: Any, low: float, high: float, initial: float, help_text: Any = "") -> forms.FloatField:
    return forms.FloatField(
        label=label, min_value=low, max_value=high, initial=initial, help_text=help_text,
        widget=forms.NumberInput(attrs={"step": "any"}),
        error_messages=dict.fromkeys(WRONG, filled(NUMBER, {"low": low, "high": high})),
    )  # fmt: skip


def choice(label: Any, name: str, help_text: Any = "") -> forms.ChoiceField:
    """The first of the choices is the form's own value."""
    return forms.ChoiceField(
        label=label, choices=CHOICES[name], initial=CHOICES[name][0][0], help_text=help_text,
        error_messages=dict.fromkeys(("required", "invalid_choice"), CHOOSE),
    )  # fmt: skip


@dataclass(frozen=True)
class BankChoice:
    """A calibrated bank that may be planned with; what its mean square is, is asked where it is chosen."""

    name: str
    label: str
    prompts: int
    is_logistic: bool
    mean_square: Callable[[], float]
    pk: int | None = None


class PlannerForm(forms.Form):
    """Sizes, what is assumed about people and prompts, prices, and what is rehearsed.

    `banks` are calibrated banks that may be chosen, by the key that stands for each.
    """

    item_bank = forms.ChoiceField(
        label=gettext_lazy("Item bank"), required=False, initial="",
        help_text=gettext_lazy(
            "A stored bank brings its own number of questions and mean squared discrimination, also for the "
            "rehearsal; what is written for these two fields is then not used."
        ),
        error_messages={"invalid_choice": CHOOSE},
    )  # fmt: skip
    people = whole(gettext_lazy("People"), 1, 10_000, 246)
    prompts_per_person = whole(gettext_lazy("Questions per person"), 1, 100, 20)
    bank_prompts = whole(gettext_lazy("Questions of the bank"), 1, MAX_PROMPTS, 820)
    design = choice(gettext_lazy("Who gets which questions"), "design")
    batches = choice(
        gettext_lazy("How question sets are made"), "batches",
        gettext_lazy("Information of question sets varies by 32 % at random, by 6 % if balanced."),
    )  # fmt: skip
    missing = number(
        gettext_lazy("Share of answers without a score"), 0, 0.95, 0.066, gettext_lazy("From 0 to 0.95.")
    )
    between_sd = number(
        gettext_lazy("SD of ability between people (logits)"), 0, 5, 0.9,
        gettext_lazy("On the scale of ability; 0.9 is a mixed group, 0.35 a uniform one."),
    )  # fmt: skip
    human_item_sd = number(
        gettext_lazy("SD of questions being harder or easier for people than for models (logits)"), 0, 10, 0,
        gettext_lazy("0 for statements about this very bank; 1.5 for questions like these."),
    )  # fmt: skip
    residual_sd = number(gettext_lazy("Scatter of a single response (logits)"), 0.1, 20, 4.85)
    mean_square = number(gettext_lazy("Mean squared discrimination of the bank"), 0.01, 100, 2.08)
    wanted = number(gettext_lazy("Wanted half-width (logits)"), 0.01, 10, 0.15)
    pay = number(
        gettext_lazy("Pay per person"), 0, 1_000_000, 0, gettext_lazy("Any one currency for all prices.")
    )
    overhead = number(gettext_lazy("Other costs per person"), 0, 1_000_000, 0)
    judge_call = number(gettext_lazy("Price of one call of the judge"), 0, 1_000_000, 0)
    calls_per_answer = number(gettext_lazy("Calls of the judge per answer"), 0, 1000, 1)
    studies = whole(
        gettext_lazy("Studies to rehearse"), 0, 500, 0,
        gettext_lazy("0 for none; 100 of the published size take about two seconds."),
    )  # fmt: skip
    mean = number(gettext_lazy("Mean ability in the rehearsal (logits)"), -5, 5, 0.1)
    top_size = whole(gettext_lazy("Size of Top in the rehearsal"), 1, 10_000, 15)
    seed = whole(gettext_lazy("Seed of the rehearsal"), 0, 2**31 - 1, 2026)

    GROUPS: Mapping[Any, tuple[str, ...]] = {
        gettext_lazy("Size"): ("people", "prompts_per_person", "wanted"),
        gettext_lazy("Bank"): ("item_bank", "bank_prompts", "mean_square", "design", "batches"),
        gettext_lazy("Assumptions"): ("between_sd", "human_item_sd", "residual_sd", "missing"),
        gettext_lazy("Prices"): ("pay", "overhead", "judge_call", "calls_per_answer"),
        gettext_lazy("Rehearsal"): ("studies", "mean", "top_size", "seed"),
    }

    def __init__(self, data: Mapping[str, Any], banks: Mapping[str, BankChoice]) -> None:
        super().__init__(data)
        self.banks = banks
        self.fields["item_bank"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            ("", SYNTHETIC), *((key, bank.label) for key, bank in banks.items())
        ]  # fmt: skip

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField], bool]]:
        """Heading, fields, and whether the group is shown open: the first, and where something is wrong."""
        for number, (heading, names) in enumerate(self.GROUPS.items()):
            fields = [self[name] for name in names]
            yield str(heading), fields, number == 0 or any(field.errors for field in fields)

    @property
    def bank(self) -> BankChoice | None:
        """The chosen bank; None for a synthetic one."""
        return self.banks.get(self.cleaned_data.get("item_bank") or "")

    def clean_item_bank(self) -> str:
        chosen = str(self.cleaned_data["item_bank"])
        bank = self.banks.get(chosen)
        if bank and bank.is_logistic:
            raise forms.ValidationError(
                _(
                    "This bank was fitted with the logistic 2PL, and plans are for abilities by logits of "
                    "scores: choose another, or the synthetic one."
                )
            )
        if bank and bank.prompts > MAX_PROMPTS:
            message = _("This bank has more than 20,000 questions: choose another, or the synthetic one.")
            raise forms.ValidationError(message)
        return chosen

    def clean(self) -> dict[str, Any]:
        """What is too large together, or contradicts itself."""
        values = super().clean() or {}
        people, per_person = values.get("people"), values.get("prompts_per_person")
        if people is None or per_person is None:
            return values
        chosen = self.banks.get(values.get("item_bank") or "")
        bank_prompts = chosen.prompts if chosen else values.get("bank_prompts")
        if bank_prompts is not None and per_person > bank_prompts:
            self.add_error("prompts_per_person", _("A person cannot get more questions than the bank has."))
        if people * per_person > MAX_ANSWERS:
            message = _("People times questions per person must be at most 400,000.")
            self.add_error("people", message)
        a_study = people * per_person + (bank_prompts or 0)  # a study cuts the whole bank
        if a_study * (values.get("studies") or 0) > MAX_REHEARSED:
            message = _("Rehearse fewer studies: at most 1,500,000 answers and questions of the bank in all.")
            self.add_error("studies", message)
        if values.get("studies") and people < (values.get("top_size") or 0):
            self.add_error("top_size", _("Top of a rehearsal cannot have more people than the study."))
        return values

    def plan(self) -> Plan:
        values = self.cleaned_data
        same = ("people", "prompts_per_person", "missing", "between_sd", "human_item_sd", "residual_sd")
        return Plan(
            **{name: values[name] for name in same},
            bank_prompts=self.bank.prompts if self.bank else values["bank_prompts"],
            mean_square=self.bank.mean_square() if self.bank else values["mean_square"],
            balanced=values["batches"] == "balanced",
        )

    @property
    def kind(self) -> str:
        return str(self.cleaned_data["design"])

    @property
    def prices(self) -> Prices:
        names = ("pay", "overhead", "judge_call", "calls_per_answer")
        return Prices(**{name: self.cleaned_data[name] for name in names})

    @property
    def half_widths(self) -> tuple[float, ...]:
        """The wanted half-width among the usual ones."""
        return tuple(sorted({*WANTED, self.cleaned_data["wanted"]}))

    @property
    def rehearsal(self) -> Rehearsal:
        names = ("studies", "mean", "top_size", "seed")
        return Rehearsal(**{name: self.cleaned_data[name] for name in names})

    def to_simulate(self) -> dict[str, Any]:
        """The arguments of the job that computes what the formulas do not say: what that depends on alone."""
        plan, rehearsal = asdict(self.plan()), self.rehearsal
        if not rehearsal.studies:
            return {"method": METHOD, "plan": {name: plan[name] for name in SIZES}}
        of_bank = {"item_bank": self.bank.pk} if self.bank else {}
        rehearsed = {"design": self.kind, "rehearsal": asdict(rehearsal), **of_bank}
        return {"method": METHOD, "plan": plan, **rehearsed}


def fields_of(simulated: Mapping[str, Any], banks: Mapping[str, BankChoice]) -> dict[str, Any]:
    """What is written into the form for these arguments of `to_simulate`, as far as they tell it."""
    fields = {**simulated["plan"], **(simulated.get("rehearsal") or {})}
    if "balanced" in fields:
        fields["batches"] = "balanced" if fields.pop("balanced") else "random"
    if "design" in simulated:
        fields["design"] = simulated["design"]
    keys = {bank.pk: key for key, bank in banks.items()}
    if (key := keys.get(simulated.get("item_bank"))) is not None:
        fields["item_bank"] = key
        del fields["bank_prompts"], fields["mean_square"]  # the bank brings its own
    return fields


def with_defaults(given: dict[str, Any]) -> dict[str, Any]:
    """What is given, and the form's own values for the rest."""
    fields = PlannerForm.base_fields
    initial = {name: field.initial for name, field in fields.items()}
    return initial | {name: value for name, value in given.items() if name in fields}
