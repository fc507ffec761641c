"""The terms of payment as a form, and the payer's file."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import PaymentRule
from batches.rules.payments import PaymentTerms
from batches.services.payments import ReportProblem, ReportRow
from formats.cells import text_of_cell
from formats.csv_rows import sheet_rows
from formats.sentences import shortened
from formats.text_faults import NUL
from formats.wording import gettext_noop

MAX_BYTES = 2 * 1024 * 1024
MAX_LINES = 20_000
MAX_NOTE = 200
# Spreadsheet programs of many countries write 12,50. Whatever parts thousands is no part of an amount.
AMOUNT = re.compile(r"[0-9]{1,8}([.,][0-9]{1,2})?")
CENTS = re.compile(r"[0-9]{1,2}")
REQUIRED = ("code", "state")
KNOWN = (*REQUIRED, "paid_amount", "currency", "note")


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

    def rows(self) -> tuple[list[ReportRow], list[ReportProblem]]:
        """The lines of the valid form's file, and every problem of those that cannot be read."""
        try:
            text = self.cleaned_data["file"].read().decode("utf-8-sig")
        except UnicodeDecodeError:
            return [], [ReportProblem(0, gettext_noop("The file is not UTF-8; save it as UTF-8."))]
        problems: list[ReportProblem] = []

        def refuse(line: int, error: str) -> None:
            sentence = gettext_noop("is no CSV from here on (%(error)s); export the file again")
            problems.append(ReportProblem(line, sentence, {"error": error}))

        lines = sheet_rows(text, refuse)
        columns = [cell.strip().lower() for cell in next(lines, (0, []))[1]]
        if problem := _head_problem(columns):
            return [], problems or [problem]
        rows = []
        for number, (line, cells) in enumerate(lines, 1):
            if number > MAX_LINES:
                sentence = gettext_noop("The file has more than %(lines)d lines; divide it.")
                return [], [ReportProblem(0, sentence, {"lines": MAX_LINES})]
            found = list(_cell_problems(line, cells, columns))
            problems += found
            if not found and (row := _row(line, _values(columns, cells))).state:
                rows.append(row)
        if not rows and not problems:
            problems.append(ReportProblem(0, gettext_noop("The file reports nothing: no line has a state.")))
        return rows, problems


def _head_problem(columns: list[str]) -> ReportProblem | None:
    """What is wrong with the first line."""
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        sentence = gettext_noop("missing columns: %(missing)s; begin the file with code,state")
        return ReportProblem(1, sentence, {"missing": ", ".join(missing)})
    twice = [name for name in KNOWN if columns.count(name) > 1]
    if twice:
        sentence = gettext_noop("columns that are there twice: %(twice)s; keep one")
        return ReportProblem(1, sentence, {"twice": ", ".join(twice)})
    return None


def _values(columns: list[str], cells: list[str]) -> dict[str, str]:
    """The cells of a line by their columns. Some programs cut empty cells off its end."""
    cells = cells + [""] * (len(columns) - len(cells))
    read = {name: text_of_cell(cell.strip()).strip() for name, cell in zip(columns, cells, strict=True)}
    return {name: read.get(name, "") for name in KNOWN}


def _cell_problems(line: int, cells: list[str], columns: list[str]) -> Iterator[ReportProblem]:
    """All that is wrong with a line; nothing with one without a state, which says nothing."""
    if len(cells) > len(columns):
        sentence = gettext_noop(
            "has %(cells)s cells for %(columns)s columns; put cells with a delimiter in quotes"
        )
        yield ReportProblem(line, sentence, {"cells": len(cells), "columns": len(columns)})
        return
    values = _values(columns, cells)
    amount, note = values["paid_amount"], values["note"]
    if not values["state"]:
        return
    if amount and not AMOUNT.fullmatch(amount):
        sentence = gettext_noop('the amount is "%(amount)s"; write a number such as 12.50')
        yield ReportProblem(line, sentence, {"amount": shortened(amount)})
    beside = columns[columns.index("paid_amount") + 1 :][:1] == ["note"] if amount else False
    if beside and amount.isdecimal() and CENTS.fullmatch(note):
        sentence = gettext_noop(
            'the amount "%(amount)s" is followed by the note "%(note)s"; write %(amount)s.%(note)s if that '
            "is one amount, and %(amount)s.00 if it is not"
        )
        yield ReportProblem(line, sentence, {"amount": amount, "note": note})
    if len(note) > MAX_NOTE:
        sentence = gettext_noop("the note has %(characters)s characters; shorten it to %(most)s at most")
        yield ReportProblem(line, sentence, {"characters": len(note), "most": MAX_NOTE})
    if "\0" in "".join(values.values()):
        yield ReportProblem(line, NUL)


def _row(line: int, values: dict[str, str]) -> ReportRow:
    amount = Decimal(values["paid_amount"].replace(",", ".")) if values["paid_amount"] else None
    code, currency = values["code"].upper(), values["currency"].upper()
    return ReportRow(line, code, values["state"].lower(), amount, currency, values["note"])
