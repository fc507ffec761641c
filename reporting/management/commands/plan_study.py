"""manage.py plan_study: how precise a study of some size will be, and what it costs."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from presentation.tables import terminal_lines
from psychometrics.planning.computing import planned
from reporting.forms.planner import CHOICES, BankChoice, PlannerForm, with_defaults
from reporting.views.planner.tables import planner_tables
from scoring.management.item_bank_arguments import bank_of
from studies.management.operators import plain_errors


class Command(BaseCommand):
    help = (
        "Print half-widths, smallest detectable differences, needed people, designs and costs of a planned "
        "study as JSON (or --table); with --studies also what a rehearsal with known abilities recovers. The "
        "bank is synthetic, of the size and information given, or the one named with --item-bank. No "
        "database is needed, unless that is a stored one."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--table", action="store_true", help="readable tables instead of JSON")
        parser.add_argument(
            "--item-bank", metavar="SLUG_OR_FILE",
            help="plan and rehearse on this stored item bank or item-parameter file; default: synthetic",
        )  # fmt: skip
        for name, field in PlannerForm.base_fields.items():
            if name == "item_bank":
                continue
            allowed = [value for value, _ in CHOICES.get(name, ())] or None
            parser.add_argument(
                f"--{name.replace('_', '-')}", choices=allowed, metavar=None if allowed else "N",
                help=str(field.label).replace("%", "%%"),
            )  # fmt: skip

    def handle(self, *_: Any, table: bool, **options: Any) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        bank, banks = None, {}
        with plain_errors():
            if (name := options["item_bank"]) is not None:
                bank = bank_of(name)
                square = bank.mean_square
                logistic = bank.items.is_logistic
                banks[name] = BankChoice(bank.name, bank.name, len(bank.items), logistic, lambda: square)
            form = PlannerForm(with_defaults(given), banks)
        if not form.is_valid():
            refused = ((name, error) for name, errors in form.errors.items() for error in errors)
            raise CommandError("\n".join(f"--{name.replace('_', '-')}: {error}" for name, error in refused))
        plan = planned(form.plan(), form.kind, form.prices, form.half_widths, form.rehearsal, bank)
        if not table:
            self.stdout.write(json.dumps(plan.as_json(), allow_nan=False))
            return
        for part in planner_tables(plan):
            lines = ["", part.caption, *terminal_lines([part.head, *part.rows]), *part.notes]
            self.stdout.write("\n".join(lines))
