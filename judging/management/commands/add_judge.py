"""manage.py add_judge NAME --url URL --model MODEL: a language model that may be asked to judge."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from judging.management.judge_arguments import add_settings, given, try_out
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from studies.management.operators import OperatorCommand, named_person


class Command(OperatorCommand):
    help = (
        "Add a judge: any model behind an OpenAI-compatible endpoint. Its key stays in an environment "
        "variable; only the variable's name is stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="small letters, digits and hyphens")
        add_settings(parser, required=True)

    def handle(self, *_: Any, **options: Any) -> None:
        judge = judge_add(
            slug=options["name"],
            settings=JudgeSettings(**given(options)),
            actor=named_person(options["by"]),
            now=timezone.now(),
        )
        self.stdout.write(f'Added the judge "{judge.slug}": {judge.model} at {judge.base_url}.')
        if options["trial"]:
            try_out(judge, self.stdout)
