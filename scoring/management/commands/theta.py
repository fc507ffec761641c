"""Print the ability of each group in a CSV table of scores, on a public item bank."""

import json
import math
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.irt.ability import GroupAbility, group_ability
from scoring.irt.bank import item_bank_from
from scoring.irt.score_table import ScoreTable, ScoreTableRefused, read_score_table
from studies.bank.item_parameters import ItemParametersRefused, read_item_parameters

FIELDS = (
    "theta",
    "se",
    "ci_low",
    "ci_high",
    "pairs",
    "prompts",
    "coverage",
    "raw_mean",
    "theta_pool",
    "se_pool",
)


class Command(BaseCommand):
    help = (
        "Print theta of each group in SCORES.csv (columns prompt_id, score and optionally group) as one JSON "
        "object per line. An empty or NaN score is missing. No database is needed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scores", type=Path, metavar="SCORES.csv")
        parser.add_argument("--item-bank", type=Path, required=True, metavar="BANK.json")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bank = item_bank_from(read_item_parameters(options["item_bank"]))
            table = read_score_table(options["scores"], bank.index)
        except ItemParametersRefused as refusal:
            raise CommandError(f"The item bank {options['item_bank']} cannot be used:\n{refusal}") from None
        except ScoreTableRefused as refusal:
            raise CommandError(f"The scores {options['scores']} cannot be used:\n{refusal}") from None
        for name, pairs in table.groups.items():
            self.stdout.write(_as_json(name, group_ability(pairs.prompt_index, pairs.p, bank)))
        self._report_ignored(table)

    def _report_ignored(self, table: ScoreTable) -> None:
        if table.ignored_columns:
            names = ", ".join(map(repr, table.ignored_columns))
            self.stderr.write(f"Ignored columns: {names}", style_func=str)
        if table.unknown_rows:
            note = f"Ignored rows with prompt ids unknown to the item bank: {table.unknown_rows}"
            self.stderr.write(f"{note} (distinct ids: {len(table.unknown_ids)})", style_func=str)


def _as_json(group: str, ability: GroupAbility) -> str:
    values = {name: getattr(ability, name) for name in FIELDS}
    strict = {name: value if math.isfinite(value) else None for name, value in values.items()}
    return json.dumps({"group": group, **strict}, allow_nan=False)
