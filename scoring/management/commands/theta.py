"""Print the ability of each group in a CSV table of scores, on a public item bank."""

import json
import math
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from presentation.numbers import counted
from psychometrics.data.score_table import GroupScores, ScoreTableRefused, read_score_table
from psychometrics.interface import scores
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.quasi_likelihood import theta_ql
from scoring.management.item_bank_arguments import items_in

FIELDS = "theta se ci_low ci_high pairs prompts coverage raw_mean theta_pool se_pool".split()
LOGISTIC = (
    "The item bank was fitted with the logistic 2PL: ability on its scale is theta_ql; theta by logits of "
    "scores is not on that scale and is null."
)


class Command(BaseCommand):
    help = (
        "Print theta of each group in SCORES.csv (columns prompt_id, score and optionally group) as one JSON "
        "object per line, with theta_ql beside it, which does not depend on the number of scores per prompt "
        "and is the ability on a bank of the logistic 2PL. An empty or NaN score is missing. Where all "
        "scores are 1 theta is null and ci_low says above what it lies, where all are 0 ci_high below what. "
        "No database is needed."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scores", type=Path, metavar="SCORES.csv")
        parser.add_argument("--item-bank", type=Path, required=True, metavar="BANK.json")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            bank = items_in(options["item_bank"])
            table = read_score_table(options["scores"], bank.index)
        except ScoreTableRefused as refusal:
            raise CommandError(f"The scores {options['scores']} cannot be used:\n{refusal}") from None
        for name, pairs in table.groups.items():
            ability = scores.ability(scores.Scores(pairs.prompt_index, pairs.p), bank)
            values = {field: getattr(ability, field) for field in FIELDS}
            values["theta_ql"] = quasi_likelihood(pairs, bank)
            strict = {field: value if math.isfinite(value) else None for field, value in values.items()}
            self.stdout.write(json.dumps({"group": name, **strict}, allow_nan=False))
        if bank.is_logistic:
            self.stderr.write(LOGISTIC, style_func=str)
        if table.ignored_columns:
            names = ", ".join(map(repr, table.ignored_columns))
            self.stderr.write(f"Ignored columns: {names}", style_func=str)
        if table.unknown_rows:
            note = f"Ignored rows with prompt ids unknown to the item bank: {counted(table.unknown_rows)}"
            self.stderr.write(f"{note} (distinct ids: {counted(len(table.unknown_ids))})", style_func=str)


def quasi_likelihood(pairs: GroupScores, bank: ItemBank) -> float:
    """theta_QL of one group; NaN where nothing is scored, or all scores are 0 or all are 1."""
    known = pairs.prompt_index >= 0
    items = pairs.prompt_index[known]
    return theta_ql(bank.a[items], bank.b[items], pairs.p[known])
