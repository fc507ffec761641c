"""The terms of payment as a form, and the payer's file."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import PaidState, PaymentRule
from batches.rules.payments import PaymentTerms
from batches.services.payments import ReportRow
from formats.cells import text_of_cell
from formats.codes import code_named
from formats.csv_tables import read_csv_table
from formats.problems import Problem
from formats.sentences import shortened
from presentation.numbers import counted, numbered
from presentation.problems import in_words, told

MAX_BYTES = 2 * 1024 * 1024
MAX_LINES = 20_000
MAX_NOTE = 200
# Spreadsheet programs of many countries write 12,50. Whatever parts thousands is no part of an amount.
AMOUNT = re.compile(r"[0-9]{1,8}([.,][0-9]{1,2})?")
CENTS = re.compile(r"[0-9]{1,2}")
REQUIRED = ("code", "state")
CODES = (*REQUIRED, "paid_amount", "currency")
KNOWN = (*CODES, "note")


def _amount(label: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        min_value=Decimal(0),
        max_digits=10,
        decimal_places=2,
        widget=forms.NumberInput(attrs={"step": "0.01", "min": "0", "inputmode": "decimal"}),
    )


class PaymentRuleForm(forms.Form):
    """A flat amount, an hourly one with a cap, and a bonus; zero is nothing of it."""

    currency = forms.RegexField(
        regex=r"^[A-Z]{3}$",
        label=gettext_lazy("Currency"),
        help_text=gettext_lazy("Three letters, such as EUR."),
        error_messages={
            "invalid": gettext_lazy("Write the three capital letters of a currency, such as EUR.")
        },
        widget=forms.TextInput(attrs={"size": 3, "autocomplete": "off"}),
    )
    flat = _amount(gettext_lazy("Flat amount for everybody whose session ended"))
    hourly = _amount(gettext_lazy("Amount for every hour worked"))
    hours_cap = forms.DecimalField(
        label=gettext_lazy("Hours paid at most (blank: all)"),
        required=False,
        min_value=Decimal(0),
        max_digits=6,
        decimal_places=2,
    )
    bonus = _amount(gettext_lazy("Bonus"))
    bonus_answers = forms.IntegerField(
        label=gettext_lazy("Bonus from this many answered questions on"), min_value=1, max_value=500
    )
    pays_withdrawn = forms.BooleanField(
        label=gettext_lazy(
            "Who withdrew after starting is paid like everybody else: flat amount, hours and bonus"
        ),
        required=False,
    )

    @classmethod
    def of(cls, rule: PaymentRule | None) -> "PaymentRuleForm":
        """The form with the rule that holds."""
        names = ("currency", "flat", "hourly", "hours_cap", "bonus", "bonus_answers", "pays_withdrawn")
        empty = {"flat": 0, "hourly": 0, "bonus": 0, "bonus_answers": 1, "pays_withdrawn": True}
        return cls(initial={name: getattr(rule, name) for name in names} if rule else empty)

    def clean(self) -> dict[str, Any]:
        """A rule pays something."""
        cleaned = super().clean() or self.cleaned_data
        amounts = [cleaned.get(name) for name in ("flat", "hourly", "bonus")]
        if not self.errors and not any(amounts):
            raise forms.ValidationError(_("All amounts are zero; write at least one."))
        return cleaned

    @property
    def terms(self) -> PaymentTerms:
        """The valid form's terms."""
        return PaymentTerms(
            **{name: value for name, value in self.cleaned_data.items() if name != "currency"}
        )


class ReportsForm(forms.Form):
    """The payer's file: a line per person with the code, the state and, if wanted, the amount paid."""

    file = forms.FileField(
        label=gettext_lazy("The payer's file (CSV)"),
        error_messages={"required": gettext_lazy("Choose the file that the payer sent.")},
    )

    def clean_file(self) -> Any:
        """Refuse what cannot be such a file."""
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                _("The file is larger than 2 MB; is it the right one? Nothing was recorded.")
            )
        return file

    def rows(self) -> tuple[list[ReportRow], list[Problem]]:
        """The lines of the valid form's file that say anything, and every problem of their cells."""
        content = self.cleaned_data["file"].read()
        table = read_csv_table(content, required=REQUIRED, codes=CODES, long_cells=True)
        if len(table.rows) > MAX_LINES:
            sentence = numbered(_("The file has more than %(lines)d lines; divide it."), {"lines": MAX_LINES})
            return [], [told(None, "", sentence)]
        states = {state.value: str(state.label) for state in PaidState}
        rows: list[ReportRow] = []
        problems: list[Problem] = [*in_words(table.problems)]
        for line, cells in table.rows:
            values = {name: text_of_cell(cells.get(name, "")).strip() for name in KNOWN}
            if not (values["state"] or values["paid_amount"] or values["note"]):  # says nothing
                continue
            problems += _cell_problems(line, values, table.decimals_beside(cells, "paid_amount"))
            # As far as it can be read: an amount that is none is told already.
            written = values["paid_amount"]
            amount = Decimal(written.replace(",", ".")) if AMOUNT.fullmatch(written) else None
            state = code_named(values["state"], states) or values["state"]
            code, currency = values["code"].upper(), values["currency"].upper()
            rows.append(ReportRow(line, code, state, amount, currency, values["note"]))
        problems.sort(key=lambda problem: problem.line or 0)
        if not rows and not problems:
            problems.append(told(None, "", _("The file reports nothing: no line has a state.")))
        return rows, problems


def _cell_problems(line: int, values: dict[str, str], decimals: str) -> Iterator[Problem]:
    """All that is wrong with the cells of a line; `decimals` are beside its amount."""
    amount, note = values["paid_amount"], values["note"]
    if amount and not AMOUNT.fullmatch(amount):
        sentence = _('the amount is "%(amount)s"; write a number such as 12.50')
        yield told(line, "", sentence % {"amount": shortened(amount)})
    if CENTS.fullmatch(decimals):
        sentence = _(
            'the amount "%(amount)s" is followed by "%(cents)s" in the next cell; write %(amount)s.%(cents)s '
            "if that is one amount, and %(amount)s.00 if it is not"
        )
        yield told(line, "", sentence % {"amount": amount, "cents": decimals})
    if len(note) > MAX_NOTE:
        sentence = _("the note has %(characters)s characters; shorten it to %(most)s at most")
        yield told(line, "", sentence % {"characters": counted(len(note)), "most": counted(MAX_NOTE)})
