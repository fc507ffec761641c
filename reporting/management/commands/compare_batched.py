"""manage.py compare_batched STUDY: several criteria a call beside one a call, on a sample of answers."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.comparison import judging_compare
from judging.models import RunPurpose
from judging.selectors.judges import judges_named
from judging.selectors.runs import open_judging_run
from judging.services.comparing import USUAL_ANSWERS, Comparison, ComparisonReport, comparison_draw
from judging.services.judge_keys import judge_key
from judging.services.running.coordinating import require_same_judges
from presentation.numbers import counted
from reporting.management.comparison_lines import comparison_lines
from scoring.management.run_arguments import STOPPED, at_least_one, money, open_run_prepare, progress_bar
from studies.management.operators import named_person, named_study, plain_errors
from studies.models import User

MAX_SEED = 2**32 - 1


class Command(BaseCommand):
    help = (
        "Ask a judge about a drawn sample of answers both one criterion a call and several, and print how "
        "far both agree and what is saved. Without it, score_study takes no --criteria-per-call. What "
        "is known already is not asked again; stop it at any time, the same command continues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--judge", required=True, metavar="NAME", help="a judge added with add_judge")
        parser.add_argument(
            "--criteria-per-call", type=at_least_one, required=True, metavar="N", help="2 or more"
        )
        parser.add_argument(
            "--answers",
            type=at_least_one,
            default=USUAL_ANSWERS,
            metavar="N",
            help=f"size of the sample, spread over the prompts (default {USUAL_ANSWERS})",
        )
        parser.add_argument("--seed", type=seed, default=1, metavar="S", help="draws the sample (default 1)")
        parser.add_argument(
            "--budget", type=money, metavar="AMOUNT", help="pause before more than this would be spent"
        )
        parser.add_argument(
            "--resume",
            action="store_true",
            help="go on with a comparison that pauses (with --budget: under this one)",
        )
        parser.add_argument("--by", default="", metavar="EMAIL", help="the member of staff who starts it")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            with plain_errors():
                actor = named_person(options["by"])
                comparison = drawn(options)
                run = open_judging_run(comparison.study)
                if run is not None:
                    require_same_judges(run, comparison.specs, purpose=RunPurpose.COMPARISON)
                open_run_prepare(run, resume=options["resume"], budget=options["budget"], actor=actor)
                report = compare(comparison, actor, options)
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=130) from None
        if len(comparison.answers) < options["answers"]:
            self.stderr.write(f"Answers to draw from: only {counted(len(comparison.answers))}.")
        for line in comparison_lines(report):
            self.stdout.write(line)


def drawn(options: dict[str, Any]) -> Comparison:
    [config] = judges_named([options["judge"]])
    judge_key(config)
    return comparison_draw(
        study=named_study(options["study"]),
        config=config,
        criteria_per_call=options["criteria_per_call"],
        answers=options["answers"],
        seed=options["seed"],
    )


def compare(comparison: Comparison, actor: User | None, options: dict[str, Any]) -> ComparisonReport:
    with progress_bar("planning", "answers") as planning, progress_bar("judging", "verdicts") as judging:
        return judging_compare(
            comparison=comparison,
            budget=options["budget"],
            actor=actor,
            clock=timezone.now,
            planning=planning,
            judging=judging,
        )


def seed(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_SEED:
        raise ArgumentTypeError(f"is not a whole number between 0 and {MAX_SEED}")
    return int(text)
