"""manage.py score_study STUDY: screen, judge, compute, print the results; it continues where it stopped."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from scoring.coordinator import Scoring, study_score
from scoring.management.result_lines import result_lines
from scoring.services.judges import JudgeEndpoint, study_judges
from studies.management.operators import named_study, plain_errors
from studies.models import Study

STOPPED = "Stopped. What was judged is kept: run the same command again and it continues."


class Command(BaseCommand):
    help = (
        "Judge every retained answer that counts and has no score yet, then compute and print the results. "
        "The kind of judge comes from the study's protocol. Stop it at any time; the next run continues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--judge-url", metavar="URL", help="an OpenAI-compatible endpoint, e.g. https://host/v1"
        )
        parser.add_argument("--judge-model", metavar="NAME", help="the judge model's name at that endpoint")
        parser.add_argument(
            "--judge-key-env", metavar="VAR", help="the environment variable that holds the endpoint's key"
        )
        parser.add_argument(
            "--concurrency",
            type=at_least_one,
            default=8,
            metavar="N",
            help="calls at the same time (default 8)",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            with plain_errors():
                study = named_study(options["study"])
                scoring = self.score(study, judge_endpoint(options), options["concurrency"])
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=130) from None
        self.report(scoring)

    def score(self, study: Study, endpoint: JudgeEndpoint | None, concurrency: int) -> Scoring:
        judged = study_judges(study=study, endpoint=endpoint, concurrency=concurrency)
        with judged as judges, tqdm(desc="judging", unit=" verdicts", disable=None, leave=False) as bar:

            def show(done: int, total: int) -> None:
                bar.total, bar.n = total, done
                bar.refresh()

            return study_score(
                study=study, judges=judges, concurrency=concurrency, clock=timezone.now, progress=show
            )

    def report(self, scoring: Scoring) -> None:
        undecided = scoring.screening.undecided
        if undecided:
            self.stderr.write(
                f"Flagged participants without a verdict: {undecided}. They are retained until a reviewer "
                "confirms the flags on the screening page."
            )
        if scoring.judging.left:
            reasons = ", ".join(f"{number} {reason}" for reason, number in scoring.judging.unscored.items())
            self.stderr.write(
                f"Unscored answers: {scoring.judging.left} ({reasons}). "
                "Run the same command again to retry them."
            )
        for line in result_lines(scoring.results):
            self.stdout.write(line)


def judge_endpoint(options: dict[str, Any]) -> JudgeEndpoint | None:
    """The endpoint the options name, None without any; half a name is an error."""
    url, model, variable = options["judge_url"], options["judge_model"], options["judge_key_env"]
    if not (url or model or variable):
        return None
    if not (url and model):
        raise CommandError("A judge model needs both --judge-url and --judge-model.")
    if variable and not os.environ.get(variable):
        raise CommandError(f"The environment variable {variable} is not set; put the endpoint's key into it.")
    return JudgeEndpoint(base_url=url, model=model, api_key=os.environ[variable] if variable else None)


def at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("is not a whole number above 0")
    return int(text)
