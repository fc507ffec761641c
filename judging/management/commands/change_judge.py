"""manage.py change_judge NAME: change what is given, keep the rest, and say what was changed."""

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.utils import timezone

from judging.management.judge_arguments import add_settings, given, try_out
from judging.selectors.judges import judges_named
from judging.services.judges import judge_change, settings_of
from studies.management.operators import OperatorCommand, named_person


class Command(OperatorCommand):
    help = (
        "Change a judge. Only what is given is changed; the word none takes a limit, the prices or the key "
        "away. What decides scores is fixed once a study has used the judge."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        add_settings(parser, required=False)

    def handle(self, *_: Any, **options: Any) -> None:
        (judge,) = judges_named([options["name"]])
        changes = judge_change(
            judge=judge,
            settings=replace(settings_of(judge), **given(options)),
            actor=named_person(options["by"]),
            now=timezone.now(),
        )
        for name, (before, after) in changes.items():
            self.stdout.write(f"{name}: {before!r} -> {after!r}")
        if not changes:
            self.stdout.write("Nothing was changed.")
        if options["trial"]:
            judge.refresh_from_db()
            try_out(judge, self.stdout)
